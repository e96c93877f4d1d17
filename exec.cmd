@rem npm start on Windows: cmd.exe finds this file where other shells have their own exec.
@%*

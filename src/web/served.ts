/** Whether a server stands behind the page. In an exported file none does (vite.file.config.ts), and nothing is shown that needs one. */
export const isServed: boolean = true;

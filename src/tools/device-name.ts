import { bareName } from "./bare-name.ts";

/**
 * Whether Windows takes a name for a device, in any folder and with any extension (Microsoft, "Naming Files, Paths,
 * and Namespaces"). It holds on every system: what may be read
 * does not depend on where it is read.
 */
export const isDeviceName = (name: string): boolean =>
  DEVICES.has(bareName(bareName(name).split(".", 1)[0] ?? ""));

const PORTS = ["com", "lpt"].flatMap((port) => [..."123456789¹²³"].map((digit) => `${port}${digit}`));
const DEVICES: ReadonlySet<string> = new Set(["con", "prn", "aux", "nul", "conin$", "conout$", ...PORTS]);

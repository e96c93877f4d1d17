import { generateKeyPairSync, sign } from "node:crypto";

// A certificate that a server on this machine can show for any name, made here so that no key lies in a file (RFC 5280).

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const id = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value, "latin1"));
const extension = (hex: string, value: Buffer): Buffer => sequence(id(hex), der(0x04, value));

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n")}\n-----END ${label}-----\n`;

/** A key, and a certificate for this host that it signed itself. Whoever trusts the certificate trusts the server. */
export function certificateFor(host: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(id("2a8648ce3d040302")); // ecdsa-with-SHA256
  const name = sequence(der(0x31, sequence(id("550403"), text(0x0c, host))));
  const extensions = sequence(
    extension("551d11", sequence(text(0x82, host))), // its name
    extension("551d13", sequence(der(0x01, Buffer.from([0xff])))), // an authority of its own
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ...[algorithm, name, sequence(text(0x17, "200101000000Z"), text(0x18, "21200101000000Z")), name],
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  return {
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    cert: pem("CERTIFICATE", sequence(body, algorithm, signature)),
  };
}

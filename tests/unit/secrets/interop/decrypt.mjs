// Decrypts the SOPS file named on the command line with the age key on standard input; prints JSON.
import { readFileSync } from "node:fs";
import { decryptSops } from "sops-age";

const secretKey = readFileSync(0, "utf8").trim();
const text = readFileSync(process.argv[2], "utf8");
process.stdout.write(JSON.stringify(await decryptSops(text, { secretKey, fileType: "yaml" })));

/** Loaded before the command: it stops for ever before the rename whose number `HOLD_RENAME` has, and says so. */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { rename } = fs.promises;
let left = Number(process.env.HOLD_RENAME);

fs.promises.rename = async (from, to) => {
  left -= 1;
  if (left !== 0) return rename(from, to);
  process.stderr.write('held\n');
  setInterval(() => undefined, 1_000_000);
  return new Promise(() => undefined);
};
syncBuiltinESMExports();

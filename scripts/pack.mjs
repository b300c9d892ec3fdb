// Packs without the script `prepare`, which only an installation from git needs: npm warns of it where somebody installs the packed file.
// `begin` builds and takes the script out of package.json. `end` puts it back, also where an earlier `npm pack` was interrupted.

import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const PREPARE = 'node scripts/prepare.mjs';

const isBegin = process.argv[2] === 'begin';
// Exits where the build fails.
if (isBegin) await import('./prepare.mjs');
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
delete manifest.scripts.prepare;
if (!isBegin) manifest.scripts.prepare = PREPARE;
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);

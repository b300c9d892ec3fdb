// Bundles the script of the catalogue's page, which runs in a browser, to a module with its text: the page has it inline.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** The page's script, and the module that holds its text. */
const FROM = 'src/report/formats/html/catalog/browser/catalog.ts';
const TO = 'src/report/formats/html/generated/catalog-script.ts';

export function compilePageScript(root) {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [FROM],
    // The program's own settings are for Node.
    tsconfigRaw: {},
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    bundle: true,
    minify: true,
    write: false,
  });
  const text = outputFiles[0].text.trim();
  // Either would end or hide the script in the page.
  if (/<\/script|<!--/i.test(text)) throw new Error('The script of the page contains markup.');
  mkdirSync(dirname(join(root, TO)), { recursive: true });
  writeFileSync(
    join(root, TO),
    `/** Generated from ${FROM} by scripts/compile-page-script.mjs. */\n\nexport const CATALOG_SCRIPT: string = ${JSON.stringify(text)};\n`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  compilePageScript(join(dirname(fileURLToPath(import.meta.url)), '..'));

// Tells for each command which modules it loads when it runs: what it runs, and the models of the reports that it ends with.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const FOLDER = 'src/cli/commands';
/** What starts the embedded service in every run, and what its entry loads then. */
const SERVICE = { start: 'src/cli/actions/serve.ts', loads: 'service/src/service.ts' };
/** The commands of groups are rows of tables, which one module runs. */
const GROUPS = { run: 'src/cli/resources/execute.ts', reports: ['records'] };

export async function findLoads(root) {
  const { allCommands, MODELS, RENDERERS } = await readTables(root);
  const loadsOfReport = (kind) => [
    ...importsOf(MODELS[kind], 'src/report/model'),
    ...importsOf(RENDERERS.text.forms[kind], 'src/report/formats').slice(0, 1),
  ];
  const loads = ({ run, reports }) => [
    run,
    ...(run === SERVICE.start ? [SERVICE.loads] : []),
    ...new Set(reports.flatMap(loadsOfReport)),
  ];
  const { commands } = await allCommands([]);
  return [...commands.map(({ run, reports }) => loads({ run: importsOf(run, FOLDER)[0], reports })), loads(GROUPS)];
}

/** Bundled to a file of its own, below the packages that it imports; what its rows load is not part of it. */
async function readTables(root) {
  const outfile = join(root, 'node_modules/.cache/flagwright/tables.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/tables.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    plugins: [
      {
        name: 'leave-what-is-loaded-later',
        setup(bundling) {
          bundling.onResolve({ filter: /^\./ }, ({ path, kind }) =>
            kind === 'dynamic-import' ? { path, external: true } : undefined,
          );
        },
      },
    ],
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}

/** What a row of a table imports when it runs. What it imports first is what most of its reports need. */
function importsOf(row, folder) {
  return [...String(row).matchAll(/\bimport\("([^"]+)"\)/g)].map(([, file]) => join(folder, file));
}

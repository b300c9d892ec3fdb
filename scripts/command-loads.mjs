// Tells for each command which modules it loads when it runs: what it runs, and the models of the reports that it ends with.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const FOLDER = 'src/cli/commands';
/** The modules that make reports, by their kind; and those that lay out answers of the service. */
const TABLES = ['src/report/model/model-of.ts', 'src/report/formats/text.ts'];
/** What starts the embedded service in every run, and what its entry loads then. */
const SERVICE = { start: 'src/cli/actions/serve.ts', loads: 'service/src/service.ts' };
/** The commands of groups are rows of tables, which one module runs. */
const GROUPS = { run: 'src/cli/resources/execute.ts', reports: ['records'] };

/** `inputs`: of the metafile of a bundle of the command. */
export async function findLoads(root, inputs) {
  const modules = modulesOfReports(root);
  const loads = ({ run, reports }) => [
    run,
    ...(run === SERVICE.start ? [SERVICE.loads] : []),
    ...new Set(reports.flatMap((kind) => modules.get(kind) ?? [])),
  ];
  const commands = await readCommands(root);
  return [...commands.map(({ name, reports }) => loads({ run: loadedBy(name, inputs), reports })), loads(GROUPS)];
}

/** Bundled to a file of its own, below the packages that it imports. */
async function readCommands(root) {
  const outfile = join(root, 'node_modules/.cache/flagwright/commands.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: [`${FOLDER}/all-commands.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // What a command runs is not needed to list it.
    external: ['../actions/*', '../resources/*'],
    logLevel: 'error',
  });
  const { allCommands } = await import(pathToFileURL(outfile).href);
  return (await allCommands([])).commands;
}

function loadedBy(name, inputs) {
  const loaded = inputs[`${FOLDER}/${name}.ts`]?.imports.find(({ kind }) => kind === 'dynamic-import');
  if (loaded === undefined) throw new Error(`${FOLDER}/${name}.ts does not load what the command ${name} runs.`);
  return loaded.path;
}

/** By the kind of report; a kind whose text is always loaded has none. */
function modulesOfReports(root) {
  // A row ends where the next line of its depth begins; what it imports first is what most of its reports need.
  const rows = TABLES.flatMap((table) =>
    readFileSync(join(root, table), 'utf8')
      .split(/^ {2,4}(?=\w+: )/m)
      .flatMap((row) => {
        const [, kind, file] = /^(\w+): [^]*?import\('\.\/([\w/-]+\.ts)'\)/.exec(row) ?? [];
        return kind === undefined ? [] : [[kind, join(dirname(table), file)]];
      }),
  );
  const found = new Map(rows);
  for (const kind of ['plan', 'records'])
    if (!found.has(kind)) throw new Error(`${TABLES.join(' or ')} has another form than this script expects.`);
  return found;
}

/** `flaghoist validate [FILE…]`: checks configuration and manifests without asking the service anything. */

import path from 'node:path';
import { hasErrors, sortDiagnostics, type Diagnostic } from '../../base/diagnostic.ts';
import { FlaghoistError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { loadConfig, selectProject } from '../../config/load.ts';
import { readManifests } from '../../manifest/read.ts';
import { validateManifests } from '../../manifest/validate.ts';
import { diagnosticsSummary, diagnosticsText } from '../../report/diagnostics-text.ts';
import { validationDocument } from '../../report/documents.ts';
import { count } from '../../report/words.ts';
import type { ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { sourceLines } from '../source-lines.ts';

export async function validate(session: Session, files: readonly string[]): Promise<ExitCode> {
  const result = await check(session, files);
  const sourceLine = sourceLines(session.places.root);
  await session.publish({
    text: (palette) => {
      const problems = diagnosticsText(result.diagnostics, { palette, sourceLine });
      const sum = `${count(result.flags, 'flag')} in ${count(result.files, 'file')}: ${diagnosticsSummary(result.diagnostics)}`;
      return `${problems === '' ? '' : `${problems}\n`}${sum}\n`;
    },
    json: () => validationDocument(result),
  });
  return hasErrors(result.diagnostics) ? 1 : 0;
}

interface Checked {
  readonly files: number;
  readonly flags: number;
  readonly diagnostics: readonly Diagnostic[];
}

async function check(session: Session, files: readonly string[]): Promise<Checked> {
  const loaded = await load(session);
  if (loaded.config === undefined) return { files: 0, flags: 0, diagnostics: sortDiagnostics(loaded.diagnostics) };
  const { config } = loaded;
  session.places.root = config.root;
  const read = await readManifests({ root: config.root, patterns: patterns(session, config, files) });
  const found = validateManifests(read.files, chosenProjects(session, config));
  return {
    files: read.files.length,
    flags: new Set(read.files.flatMap((file) => file.flags.map((flag) => flag.key))).size,
    diagnostics: sortDiagnostics([...loaded.diagnostics, ...read.diagnostics, ...found]),
  };
}

/** Problems of the configuration belong into the same report; other failures end the run. */
async function load({ context, options }: Session): Promise<{ config?: Config; diagnostics: readonly Diagnostic[] }> {
  const file = options.config === undefined ? {} : { file: options.config };
  try {
    return await loadConfig({ cwd: context.cwd, env: context.env, ...file });
  } catch (error) {
    if (error instanceof FlaghoistError && error.diagnostics.length > 0) return { diagnostics: error.diagnostics };
    throw error;
  }
}

/** Files on the command line are named from the working directory, patterns from the configuration's folder. */
function patterns({ context }: Session, config: Config, files: readonly string[]): readonly string[] {
  if (files.length === 0) return config.manifests;
  return files.map((file) => path.relative(config.root, path.resolve(context.cwd, file)).split(path.sep).join('/'));
}

function chosenProjects({ options }: Session, config: Config): Config['projects'][string][] {
  return options.project === undefined ? Object.values(config.projects) : [selectProject(config, options.project)];
}

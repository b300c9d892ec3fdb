/** Finds the flag and the part of it that `explain KEY.PATH` names. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { quoted } from '../../base/wording.ts';
import type { DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { explainFieldPath } from '../../posthog/flag/field-path-words.ts';
import { parseFieldPath, type FieldPath } from '../../posthog/flag/field-path.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import type { Declaration } from '../../manifest/declaration.ts';
import type { LoadedProject } from './load-project.ts';

export interface FoundFlag {
  readonly declaration: Declaration;
  readonly flag: DesiredFlag;
  /** Absent: every value. */
  readonly path?: FieldPath;
}

/** @throws {FlagwrightError} `usage` for a flag that the manifests do not declare for the project, and for an unknown field. */
export async function findExplained(
  { config, project }: LoadedProject,
  { flags }: DesiredState,
  name: string,
): Promise<FoundFlag> {
  const found = splitName(name, new Map(flags.map((flag) => [flag.key, flag])));
  if (found === undefined) {
    const suggestion = nearest(
      name.split(/[./]/)[0] ?? '',
      flags.map(({ key }) => key),
    );
    throw new FlagwrightError(
      'usage',
      `The manifests declare no flag ${quoted(name)} for the project ${quoted(project.name)}.`,
      {
        remedy:
          suggestion === undefined
            ? 'Name a flag of a manifest, and a field after a dot: new-checkout.active'
            : `Did you mean ${quoted(suggestion)}?`,
      },
    );
  }
  const { files } = await readManifests({ root: config.root, patterns: config.manifests });
  const declaration = files
    .flatMap(({ declarations }) => declarations)
    .find(({ section, key }) => section === 'flags' && key === found.flag.key);
  if (declaration === undefined) throw new FlagwrightError('internal', 'The manifest changed while it was read.');
  return { ...found, declaration };
}

/** No key contains a dot or a slash. */
function splitName(
  name: string,
  flags: ReadonlyMap<string, DesiredFlag>,
): { readonly flag: DesiredFlag; readonly path?: FieldPath } | undefined {
  const [, key = name, separator, rest = ''] = /^([^./]*)([./])(.*)$/s.exec(name) ?? [];
  const flag = flags.get(key);
  if (flag === undefined || separator === undefined) return flag === undefined ? undefined : { flag };
  return { flag, path: parsePath(separator === '/' ? `/${rest}` : rest) };
}

function parsePath(text: string): FieldPath {
  const path = parseFieldPath(text);
  if (!('problem' in path)) return path;
  const { message, remedy } = explainFieldPath(text, path.problem);
  throw new FlagwrightError('usage', message, { remedy });
}

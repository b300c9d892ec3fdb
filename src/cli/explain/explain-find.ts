/** Finds the flag or cohort, and the part of it, that `explain KEY.PATH` names. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { quoted } from '../../base/wording.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { FAMILIES } from '../../posthog/families.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { PostHog } from '../../posthog/model.ts';
import type { FieldPath } from '../../posthog/flag/field-path.ts';
import { explainPathOf, parsePathOf } from '../../posthog/resource-path.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import type { Declaration } from '../../manifest/declaration.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { nameResource, readName } from '../../posthog/resource-name.ts';

type Resource = PostHog['desired'];

export interface Found {
  readonly declaration: Declaration;
  readonly resource: Resource;
  readonly section: FamilyName;
  /** As options have it. */
  readonly name: string;
  /** Absent: every value. */
  readonly path?: FieldPath;
}

/** @throws {FlagwrightError} `usage` for what the manifests do not declare for the project, and for an unknown field. */
export async function findExplained(
  { config, project }: LoadedProject,
  desired: DesiredState,
  name: string,
): Promise<Found> {
  const resources: ReadonlyMap<string, Resource> = new Map(
    FAMILIES.flatMap(({ kind, section }) => (desired[section] ?? []).map((one) => [nameResource(kind, one.key), one])),
  );
  const found = splitName(name, resources);
  if (found === undefined) {
    const suggestion = nearest(name.split(/[./]/)[0] ?? '', [...resources.keys()]);
    throw new FlagwrightError(
      'usage',
      `The manifests declare no flag, cohort or early access feature ${quoted(name)} for the project ${quoted(project.name)}.`,
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
    .find(({ section, key }) => section === found.section && key === found.resource.key);
  if (declaration === undefined) throw new FlagwrightError('internal', 'The manifest changed while it was read.');
  return { ...found, declaration };
}

/** No key contains a dot or a slash. */
function splitName(name: string, resources: ReadonlyMap<string, Resource>): Omit<Found, 'declaration'> | undefined {
  const [, key = name, separator, rest = ''] = /^([^./]*)([./])(.*)$/s.exec(name) ?? [];
  const resource = resources.get(key);
  if (resource === undefined) return undefined;
  const found = { resource, section: readName(key).section, name: key };
  return separator === undefined ? found : { ...found, path: parsePath(key, separator === '/' ? `/${rest}` : rest) };
}

function parsePath(key: string, text: string): FieldPath {
  const path = parsePathOf(key, text);
  if (!('problem' in path)) return path;
  const { message, remedy } = explainPathOf(key, text, path.problem);
  throw new FlagwrightError('usage', message, { remedy });
}

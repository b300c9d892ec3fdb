/** Each value of the configuration that counts, and where it comes from: a table of what the configuration may have. */

import path from 'node:path';
import { toPointer, valueAt } from '../../base/json-pointer.ts';
import type { JsonValue } from '../../base/json.ts';
import { placeAt } from '../../base/place.ts';
import { readYaml, type YamlDocument } from '../../base/yaml/read.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { findConfig, readConfigText } from '../../config/find.ts';
import type { ConfigurationValue, ValueOrigin } from '../../report/check-result.ts';
import type { Session } from '../session/session.ts';
import type { UsableConfiguration } from './surroundings.ts';

/** The reader of each pointer; `undefined`: no value counts. */
const VALUES: readonly (readonly [pointer: string, read: (config: Config) => JsonValue | undefined])[] = [
  ['/manifests', ({ manifests }) => manifests],
  ['/tests', ({ tests }) => tests],
  ['/scope/include', ({ scope }) => scope.include],
  ['/scope/exclude', ({ scope }) => scope.exclude],
  ['/limits/deletes', ({ limits }) => limits.deletes],
  ['/limits/deletes_percent', ({ limits }) => limits.deletes_percent],
  ['/limits/updates', ({ limits }) => limits.updates],
  ['/limits/updates_percent', ({ limits }) => limits.updates_percent],
  ['/limits/disables', ({ limits }) => limits.disables],
  ['/protected', (config) => config.protected],
  ['/drift', ({ drift }) => drift],
  ['/base/push', ({ base }) => base.push],
];

/** The values of a project by name below its pointer, with the variable that replaces an omitted one. */
const OF_PROJECT: readonly (readonly [
  name: string,
  read: (project: ProjectConfig) => JsonValue | undefined,
  variable?: string,
])[] = [
  ['service', ({ service }) => service],
  ['host', (project) => (project.service === 'remote' ? project.host : undefined), 'POSTHOG_HOST'],
  ['project_id', (project) => (project.service === 'remote' ? project.projectId : undefined), 'POSTHOG_PROJECT_ID'],
  ['api_key_env', (project) => (project.service === 'remote' ? project.apiKeyVariable : undefined)],
  ['requests_per_minute', (project) => (project.service === 'remote' ? project.requestsPerMinute : undefined)],
  ['profile', (project) => (project.service === 'embedded' ? project.profile : undefined)],
];

export async function configurationValues(
  session: Session,
  { config, projects }: UsableConfiguration,
): Promise<ConfigurationValue[]> {
  const document = await readDocument(session);
  const originOf = (pointer: string, variable?: string): ValueOrigin => {
    if (document !== undefined && valueAt(document.value, pointer) !== undefined) {
      return { kind: 'file', place: placeAt(document.places, pointer) };
    }
    return variable === undefined ? { kind: 'default' } : { kind: 'environment', variable };
  };
  const chosen = chosenProject(session, config, originOf);
  const own = VALUES.map(([name, read]) => ({ name, value: read(config), from: originOf(name) }));
  const ofProjects = projects.flatMap((project) =>
    OF_PROJECT.map(([member, read, variable]) => {
      const name = toPointer(['projects', project.name, member]);
      return { name, value: read(project), from: originOf(name, variable) };
    }),
  );
  return [chosen, ...own, ...ofProjects].flatMap(({ name, value, from }) =>
    value === undefined ? [] : [{ name, value, from }],
  );
}

interface FoundValue extends Omit<ConfigurationValue, 'value'> {
  readonly value: JsonValue | undefined;
}

function chosenProject(
  { context, options }: Session,
  config: Config,
  originOf: (pointer: string) => ValueOrigin,
): FoundValue {
  const name = '/default_project';
  const variable = 'FLAGWRIGHT_PROJECT';
  if (options.project !== undefined)
    return { name, value: options.project, from: { kind: 'option', option: '--project' } };
  const named = context.env[variable];
  if (named) return { name, value: named, from: { kind: 'environment', variable } };
  return { name, value: config.defaultProject, from: originOf(name) };
}

/** The file was read before without an error. */
async function readDocument({ context, options }: Session): Promise<YamlDocument | undefined> {
  const found = findConfig(context.cwd, options.config);
  if (found === undefined || 'problem' in found) return undefined;
  const read = await readConfigText(found);
  return 'text' in read ? readYaml(path.basename(found.path), read.text).documents[0] : undefined;
}

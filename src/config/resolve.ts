/** Resolves a configuration document: shape, API keys in the file, projects, defaults. */

import { looksLikeKey } from '../base/api-key.ts';
import { isConfig } from '../base/generated/guards.ts';
import { validateConfig } from '../base/generated/validators.ts';
import { findCycles } from '../base/graph.ts';
import { toPointer, type JsonPath } from '../base/json-pointer.ts';
import { objectOrEmpty, isJsonArray, isJsonObject, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type PlaceTree } from '../base/place.ts';
import { checkShape } from '../base/shape/check.ts';
import { parseDuration } from '../base/times.ts';
import type { YamlDocument } from '../base/yaml/read.ts';
import { DEFAULT_LIMITS, type SafetyOrigins, type WrittenOrigin } from '../core/engine/safety.ts';
import {
  DEFAULT_EXCEPTIONS,
  DEFAULT_MANIFESTS,
  DEFAULT_MAX_AGE_DAYS,
  DEFAULT_REFS,
  type Config,
  type Environment,
  type ProjectConfig,
  type WrittenConfig,
} from './config.ts';
import { globProblems, placeProblems, problemsOfEach, projectProblems } from './checks.ts';
import { resolveOwnership } from './ownership.ts';
import type { ConfigDiagnostic } from './problems.ts';
import { embeddedProject, resolveProject } from './projects.ts';

export interface ResolveOptions {
  readonly root: string;
  readonly file: string;
  readonly env: Environment;
  /** The run sends no requests, so a project may lack what the environment would fill in. */
  readonly offline?: boolean;
}

/** Names of secrets, ignoring `_` and `-`; reported with any value. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'apikey',
  'personalapikey',
  'projectapikey',
  'token',
  'accesstoken',
  'secret',
  'password',
  'authorization',
]);

export async function resolveConfig(
  document: YamlDocument,
  options: ResolveOptions,
): Promise<{ readonly config?: Config; readonly diagnostics: readonly ConfigDiagnostic[] }> {
  const diagnostics = checkDocument(document);
  if (diagnostics.length > 0) return { diagnostics };
  const written: WrittenConfig = objectOrEmpty(document.value);
  const report = (diagnostic: ConfigDiagnostic): number => diagnostics.push(diagnostic);
  const { places } = document;
  const projects = resolveProjects(written, { places, options, report });
  const names = Object.keys(projects);
  const only = names.length === 1 ? names[0] : names.find((name) => name === 'local');
  const defaultProject = written.default_project ?? only;
  if (written.default_project !== undefined) {
    const all = Object.keys(written.projects ?? { local: null });
    diagnostics.push(...placeProblems(projectProblems(written.default_project, all, ''), '/default_project', places));
  }
  diagnostics.push(
    ...checkKeyPatterns(written, places),
    ...checkOrder(written, places),
    ...checkPromotions(written, places),
  );
  const ownership = resolveOwnership(written.ownership ?? [], names, places);
  // Few have policies.
  const policies = written.policies && (await import('./policies.ts')).resolvePolicies(written.policies, names, places);
  diagnostics.push(...ownership.diagnostics, ...(policies?.diagnostics ?? []));
  const guarding = written.guards && (await import('./guards.ts')).resolveGuards(written.guards, names, places);
  const guards = guarding?.guards ?? [];
  diagnostics.push(...(guarding?.diagnostics ?? []));
  const { refs = {} } = written;
  const sources = (refs.sources ?? []).map(({ max_age_days: maxAgeDays = DEFAULT_MAX_AGE_DAYS, ...source }) => ({
    ...source,
    maxAgeDays,
  }));
  const config: Config = {
    root: options.root,
    file: options.file,
    manifests: written.manifests ?? DEFAULT_MANIFESTS,
    ...defined({ tests: written.tests, defaultProject }),
    projects: Object.fromEntries(
      Object.entries(projects).map(([name, project]) => {
        const own = ownership.ownershipOf(name);
        const known = { ...project, guards: guards.map((guard) => guard.name) };
        return [name, own.length === 0 ? known : { ...known, ownership: own }];
      }),
    ),
    scope: { include: written.scope?.include ?? ['*'], exclude: written.scope?.exclude ?? [] },
    limits: { ...DEFAULT_LIMITS, ...written.limits },
    protected: written.protected ?? [],
    origins: originsOf(written, places),
    drift: written.drift ?? 'revert',
    base: written.base ?? {},
    ...defined({ stepsEvery: parseDuration(written.rollouts?.every ?? '') }),
    guards,
    refs: { ...DEFAULT_REFS, ...refs, sources },
    ...(written.owners?.tag !== undefined && { ownerTags: [written.owners.tag] }),
    exceptions: written.exceptions ?? DEFAULT_EXCEPTIONS,
    ...(written.promotions && {
      promotions: { allowed: written.promotions, place: placeAt(places, '/promotions') },
    }),
    ...defined({ policies: policies?.policies }),
  };
  return { config, diagnostics };
}

// An API key in the file is reported only as that: other problems of its name or value would repeat it.
function checkDocument({ value, places }: YamlDocument): ConfigDiagnostic[] {
  // Finds API keys in the configuration, by the name of the member or the form of the value, without repeating them.
  const keys = secretPaths(value, []).map((path): ConfigDiagnostic => {
    const pointer = toPointer(path);
    const property = String(path.findLast((segment) => typeof segment === 'string') ?? '');
    const args = { property: looksLikeKey(property) ? 'a name' : property };
    const safePath = looksLikeKey(pointer) ? '' : pointer;
    return { code: 'config-key-in-file', severity: 'error', place: placeAt(places, pointer), path: safePath, args };
  });
  const secret = new Set(keys.map(({ place }) => `${place?.line}:${place?.column}`));
  const shape = isConfig(value) ? [] : checkShape(validateConfig, value, places);
  return [...keys, ...shape.filter(({ place }) => !secret.has(`${place?.line}:${place?.column}`))];
}

function resolveProjects(
  written: WrittenConfig,
  {
    places,
    options: { root, env, offline = false },
    report,
  }: {
    readonly places: PlaceTree;
    readonly options: ResolveOptions;
    readonly report: (diagnostic: ConfigDiagnostic) => void;
  },
): Record<string, ProjectConfig> {
  const entries = Object.entries(written.projects ?? {});
  if (entries.length === 0) return { local: embeddedProject('local', root) };
  return Object.fromEntries(
    entries.flatMap(([name, project]) => {
      const resolved = resolveProject(name, project ?? {}, { root, env, offline, places, report });
      return resolved === undefined ? [] : [[name, resolved]];
    }),
  );
}

/** Each project comes after others that exist, and never, by way of others, after itself. */
function checkOrder({ projects }: WrittenConfig, places: PlaceTree): ConfigDiagnostic[] {
  const names = Object.keys(projects ?? {});
  const order = new Map(Object.entries(projects ?? {}).map(([name, project]) => [name, project?.after ?? []]));
  const unknown = [...order].flatMap(([name, after]) =>
    placeProblems(
      problemsOfEach(after, '', (one, member) => projectProblems(one, names, member)),
      toPointer(['projects', name, 'after']),
      places,
    ),
  );
  const cycles = findCycles(order).flatMap((cycle) =>
    placeProblems(
      [{ code: 'config-order-circular', args: { cycle: [...cycle, ...cycle.slice(0, 1)] }, member: '' }],
      toPointer(['projects', cycle[0] ?? '', 'after']),
      places,
    ),
  );
  return [...unknown, ...cycles];
}

function checkPromotions({ projects, promotions = [] }: WrittenConfig, places: PlaceTree): ConfigDiagnostic[] {
  const names = Object.keys(projects ?? {});
  const unknown = problemsOfEach(promotions, '', ({ from, to }, member) => [
    ...projectProblems(from, names, `${member}/from`),
    ...projectProblems(to, names, `${member}/to`),
  ]);
  return placeProblems(unknown, '/promotions', places);
}

/** A pattern that is written twice has the place of the first. */
function originsOf({ limits = {}, protected: patterns = [] }: WrittenConfig, places: PlaceTree): SafetyOrigins {
  const originAt = (path: string): WrittenOrigin => ({ from: 'configuration', place: placeAt(places, path) });
  const ofPatterns = patterns.map((pattern, index) => [pattern, originAt(`/protected/${index}`)] as const);
  return {
    limits: Object.fromEntries(Object.keys(limits).map((name) => [name, originAt(`/limits/${name}`)])),
    protected: new Map(ofPatterns.toReversed()),
  };
}

/** Checks the configuration's globs over flag keys: an invalid one would match nothing without notice. */
function checkKeyPatterns(
  { protected: guarded, scope, ownership = [] }: WrittenConfig,
  places: PlaceTree,
): ConfigDiagnostic[] {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['/protected', guarded ?? []],
    ['/scope/include', scope?.include ?? []],
    ['/scope/exclude', scope?.exclude ?? []],
    ...ownership.map(({ keys }, index) => [`/ownership/${index}/keys`, keys] as const),
  ];
  return lists.flatMap(([at, patterns]) =>
    patterns.flatMap((pattern, index): ConfigDiagnostic[] => {
      const path = `${at}/${index}`;
      const found = placeProblems(globProblems(pattern, ''), path, places);
      // The service trims keys, so none begins or ends with a space.
      if (pattern === pattern.trim()) return found;
      const place = placeAt(places, path);
      return [...found, { code: 'key-pattern-spaces', severity: 'warning', place, path, args: { pattern } }];
    }),
  );
}

function secretPaths(value: JsonValue, path: JsonPath): JsonPath[] {
  if (typeof value === 'string') return looksLikeKey(value) ? [path] : [];
  if (isJsonArray(value)) return value.flatMap((element, index) => secretPaths(element, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const here = [...path, name];
    if (SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, '')) || looksLikeKey(name)) return [here];
    return secretPaths(member ?? null, here);
  });
}

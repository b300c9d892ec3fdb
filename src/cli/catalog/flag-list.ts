/** `flags list` in words: for whom each flag is on, as the service has it or as the manifests declare it. */

import { compareStrings } from '../../base/compare-strings.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { plainText } from '../../base/json-text.ts';
import { isJsonArray, memberOf, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { maskAddresses } from '../../catalog/mask.ts';
import { createWords } from '../../catalog/word.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { nameOf } from '../../posthog/cohort/cohort.ts';
import { cohortNamesBeside, type CohortNames } from '../../posthog/cohort/names.ts';
import { dependencyIds } from '../../posthog/live-selection.ts';
import { isListed, type Flag } from '../../posthog/flag/model/flag.ts';
import { cohortValues } from '../../posthog/flag/model/references.ts';
import { comparesFalse } from '../../posthog/flag/model/normal-forms.ts';
import { readMatchingVersion } from '../../posthog/reading/live-state.ts';
import { whoText } from '../../report/words/audience.ts';
import { generationOf } from '../../testing/generation-of.ts';
import { loadConfiguration } from '../project/load-project.ts';
import type { OpenProject } from '../project/open-project.ts';
import { chooseRemoteProjects, readProjects } from '../project/resolve-projects.ts';
import type { RecordsAnswer, RecordWords } from '../resources/command.ts';
import { advise, type Session } from '../session/session.ts';
import { declaredProject, namedFields } from './read-project.ts';

interface FlagListOptions {
  /** Shows addresses of people. */
  readonly withAddresses?: boolean;
  /** Only those that the service calls stale. */
  readonly stale?: boolean;
  readonly archived?: boolean;
  readonly limit?: number;
  readonly all?: boolean;
}

const COLUMNS = ['key', 'on', 'for whom', 'description', 'tags'] as const;

/** What the words of a flag are made of: its word, and what decides who gets it, with the names of cohorts. */
interface FlagFacts {
  readonly flag: Flag;
  readonly word: string;
  readonly fields?: JsonObject;
}

function rowOf(facts: FlagFacts, { withAddresses }: FlagListOptions): JsonObject {
  const { flag, ...state } = withAddresses === true ? facts : maskAddresses(facts);
  const { key, name = '', tags, archived } = flag;
  return {
    key,
    on: state.word,
    'for whom': whoText({ ...state, isArchived: archived === true }),
    description: name,
    tags: isJsonArray(tags) ? tags : [],
  };
}

/** Reads what the words need beyond the list: flags on which others depend, and the names of cohorts, each once. */
export function liveWords(session: Session, { client, project }: OpenProject, options: FlagListOptions): RecordWords {
  const known = new Map<number, Promise<Flag | undefined>>();
  const find = async (id: number): Promise<Flag | undefined> => {
    const found = known.get(id) ?? client.getFlag(id).catch(undefinedIfRefused);
    known.set(id, found);
    const flag = await found;
    return flag?.deleted === true ? undefined : flag;
  };
  const aliases = Object.fromEntries(Object.entries(project.cohorts).map(([alias, id]) => [String(id), alias]));
  let listed: Promise<CohortNames> | undefined;
  const listCohorts = async (): Promise<CohortNames> => {
    const cohorts = await client.listCohorts().catch(undefinedIfRefused);
    if (cohorts === undefined)
      await advise(session, 'The names of cohorts could not be read, so that some are shown by their ids.');
    return Object.fromEntries((cohorts ?? []).map((one) => [String(one.id), nameOf(one)]).filter(([, name]) => name));
  };
  let matching: ReturnType<typeof readMatchingVersion> | undefined;
  return {
    columns: COLUMNS,
    layout: 'flags',
    of: async (record) => {
      const flag = record as Flag;
      const flags = await closureOf(flag, find);
      const isVersioned = flags.some(({ filters }) => comparesFalse(filters));
      const version = isVersioned ? await (matching ??= readMatchingVersion(client)) : undefined;
      const now = new Date(session.context.now());
      const word = createWords(flags, { generation: generationOf(project, version), now })(flag.key) ?? 'unknown';
      const own = { ...cohortNamesBeside(flag.filters), ...aliases };
      const isNamed = cohortValues(flag.filters).every((id) => memberOf(own, plainText(id)) !== undefined);
      const cohorts = isNamed ? aliases : { ...(await (listed ??= listCohorts())), ...own };
      const keys = new Map(flags.map(({ id, key }) => [id, key]));
      const fields = namedFields(
        flag,
        (id) => keys.get(id),
        () => cohorts,
      );
      return rowOf({ flag, word, fields }, options);
    },
  };
}

/** The words say less without what could not be read, and nothing wrong. */
function undefinedIfRefused(error: unknown): undefined {
  if (error instanceof ServiceError && error.failure.kind !== 'aborted') return undefined;
  throw error;
}

/** The flag, and all flags on which it depends that are there. */
async function closureOf(flag: Flag, find: (id: number) => Promise<Flag | undefined>): Promise<readonly Flag[]> {
  const reached = new Map([[flag.id, flag]]);
  const visit = async (one: Flag): Promise<void> => {
    for (const id of dependencyIds(one)) {
      const other = reached.has(id) ? undefined : await find(id);
      if (other === undefined || reached.has(id)) continue;
      reached.set(id, other);
      await visit(other);
    }
  };
  await visit(flag);
  return [...reached.values()];
}

/** By key, then in the order of the projects, unless `choose` has another order. */
export async function declaredFlags(
  session: Session,
  options: FlagListOptions,
  choose: (flags: readonly Flag[]) => readonly Flag[],
): Promise<RecordsAnswer> {
  if (options.stale === true) {
    throw new FlagwrightError('usage', 'Only the service says which flags are stale; --declared does not ask it.', {
      remedy: 'Omit --declared, or run `flagwright stale`, which also looks at code and git.',
    });
  }
  const config = await loadConfiguration(session, { offline: true });
  const { projects } = await readProjects(session, config, await chooseRemoteProjects(session, config));
  const facts = new Map<Flag, FlagFacts & { readonly project: string }>();
  for (const resolved of projects) {
    const { project } = resolved;
    const { desired } = resolved.resolution;
    const { states } = declaredProject(session, resolved);
    for (const declared of desired.flags) {
      if (declared.kind !== 'declared') continue;
      const { key, fields } = declared;
      // No id: the service gives it.
      const flag = { key, ...fields } as unknown as Flag;
      const { word, fields: deciding } = states.get(key) ?? { word: 'unknown' as const };
      if (isListed(flag) || options.archived === true)
        facts.set(flag, { flag, word, project: project.name, ...defined({ fields: deciding }) });
    }
  }
  const flags = [...facts.keys()].toSorted((one, other) => compareStrings(one.key, other.key));
  const rows = new Map<JsonObject, FlagFacts>(
    choose(flags).flatMap((flag): [JsonObject, FlagFacts][] => {
      const own = facts.get(flag);
      return own === undefined ? [] : [[{ project: own.project, ...flag }, own]];
    }),
  );
  const isOne = projects.length === 1;
  return {
    kind: 'records',
    records: rows.keys(),
    columns: ['project', 'key', 'active', 'name'],
    source: { declared: projects.map(({ project }) => project.name) },
    ...(options.all !== true && defined({ limit: options.limit })),
    words: {
      columns: isOne ? COLUMNS : ['key', 'project', ...COLUMNS.slice(1)],
      layout: 'flags',
      of: (record) => {
        const { project = null } = record;
        return { project, ...rowOf(rows.get(record) as FlagFacts, options) };
      },
    },
  };
}

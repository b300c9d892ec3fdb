/** `flagwright flags …`: the commands that read flags. */

import { FlagwrightError } from '../../base/errors.ts';
import { plainText } from '../../base/json-text.ts';
import { type JsonObject, isJsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { readEdit } from '../../posthog/flag/explain.ts';
import { hasEncryptedPayloads } from '../../posthog/flag/model/encrypted-payloads.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { FlagListQuery } from '../../posthog/flag/requests.ts';
import { readDefinitions } from '../../posthog/reading/live-state.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { quoteShort } from '../../report/escape.ts';
import { onOff, required, text, whole } from '../line/options.ts';
import {
  command,
  type ResourceGroup,
  findFlag,
  findFlagOrId,
  activityEntries,
  limited,
  limitOf,
  PAGING,
  requiredJsonObject,
  textMembers,
} from '../resources/command.ts';

const FLAG = required('<flag>', 'key of the flag, or its id (digits only)');
const GROUPS = textMembers('--group <type=key>', 'group of the person, for example company=acme; repeatable');

const LARGEST_PAGE = 100;
const ACTIVITY_COLUMNS: readonly string[] = ['created_at', 'user.email', 'activity', 'item_id', 'detail.name'];

export const FLAG_COMMANDS: ResourceGroup = {
  scope: 'feature_flag',
  elsewhere: {
    create: 'Declare the flag in a manifest, then: flagwright plan, flagwright apply.',
    update: 'Change the flag in its manifest, then: flagwright plan, flagwright apply.',
    delete: 'Set `deleted: true` on the flag in its manifest, then: flagwright plan, flagwright apply.',
  },
  commands: [
    command({
      name: 'list',
      summary: 'list flags, and for whom each is on',
      description:
        'Text, table, markdown and html say for whom each flag is on; json, jsonl, csv and --columns show the flags as the service returns them. Never lists soft-deleted flags, and lists archived flags only with --archived. If the service does not filter or sort, flagwright does.',
      examples: [
        'flagwright flags list --search checkout',
        'flagwright flags list --declared -f html -o flags.html',
        'flagwright flags list --columns key,active -f csv',
      ],
      operations: ['listFlags', 'pageFlags', 'getFlag', 'listCohorts', 'getProject', 'getDefinitions'],
      columns: ['id', 'key', 'active', 'name'],
      parameters: {
        search: text('--search <text>', 'part of the key or the name'),
        key: text('--key <key>', 'exact key, case-insensitive'),
        active: onOff('--active', 'only active flags'),
        stale: onOff('--stale', 'only flags that the service calls stale; flagwright stale also looks at code and git'),
        archived: onOff('--archived', 'only archived flags (services since 2026)'),
        order: text('--order <field>', 'field to sort by; -FIELD sorts descending'),
        fromManifests: onOff(
          '--declared',
          'flags as the manifests declare them, for all projects or that of -p; needs no network and no API key',
        ),
        withAddresses: onOff('--addresses', 'show e-mail addresses of people in conditions (default: hidden)'),
        limit: whole('-n, --limit <n>', 'maximum number of flags (default: all)', { from: 1 }),
        all: onOff('--all', 'all flags (the default)'),
      },
      run: async (client, { order, limit = Infinity, all, ...options }) => {
        const paging = { limit, ...defined({ all }) };
        return limited(paging, findFlags(client, filterOf(options), { order, limit: limitOf(paging) }));
      },
      offline: ({ fromManifests, ...options }) => {
        if (fromManifests !== true) return undefined;
        const choose = (flags: readonly Flag[]): readonly Flag[] => {
          const wanted = flags.filter((flag) => isWanted(flag, filterOf(options)));
          return options.order === undefined ? wanted : sortFlags(wanted, options.order);
        };
        return async (session) => (await import('../catalog/flag-list.ts')).declaredFlags(session, options, choose);
      },
      words: async (options) => {
        const { liveWords } = await import('../catalog/flag-list.ts');
        return (session, opened) => liveWords(session, opened, options);
      },
    }),
    command({
      name: 'get',
      summary: 'show one flag',
      examples: ['flagwright flags get new-checkout', 'flagwright flags get 12 -f json'],
      operations: ['getFlag', 'pageFlags'],
      parameters: { flag: FLAG },
      description: 'Text omits empty and disabled members; --verbose shows all.',
      run: async (client, { flag }) => ({ kind: 'record', record: await findFlag(client, flag), layout: 'flag' }),
    }),
    command({
      name: 'activity',
      summary: 'show the activity of one flag or of all flags, newest first',
      examples: ['flagwright flags activity new-checkout', 'flagwright flags activity --limit 500 -f jsonl'],
      operations: ['flagActivity', 'projectFlagActivity'],
      description: 'Text shows what each entry changed; json, jsonl and csv have it as differences.',
      columns: ACTIVITY_COLUMNS,
      csvColumns: [...ACTIVITY_COLUMNS, 'differences'],
      parameters: { flag: text('[flag]', 'key or id of a flag (default: all flags of the project)'), ...PAGING },
      run: async (client, { flag, ...paging }) => {
        const found = flag === undefined ? undefined : await findFlagOrId(client, flag);
        const entries = activityEntries(limitOf(paging), (query) =>
          found === undefined ? client.projectFlagActivity(query) : client.flagActivity(found.id, query),
        );
        // The payloads of a flag that was not read may be secret.
        const isOpen = found !== undefined && 'key' in found && !hasEncryptedPayloads(found as Flag);
        const records = withDifferences(entries, isOpen);
        return { ...limited(paging, records), layout: 'activity' };
      },
    }),
    command({
      name: 'evaluation-reasons',
      summary: 'show the value of each flag for a person, and why',
      examples: [
        'flagwright flags evaluation-reasons user-1',
        'flagwright flags evaluation-reasons user-1 --group company=acme',
      ],
      operations: ['evaluationReasons'],
      columns: ['flag', 'value', 'reason', 'condition_index'],
      parameters: { distinctId: required('<distinct-id>', 'distinct id of the person'), groups: GROUPS },
      run: async (client, { distinctId, groups }) => {
        const reasons = await client.evaluationReasons(defined({ distinctId, groups }));
        const records = Object.entries(reasons).map(([flag, { value, evaluation }]) => {
          return { flag, value, reason: evaluation?.reason, condition_index: evaluation?.condition_index };
        });
        return { kind: 'records', records, document: { ...reasons } };
      },
    }),
    command({
      name: 'local-evaluation',
      summary: 'show the flag definitions that SDKs use for local evaluation',
      description: 'Needs the scope project:read too, for the token of the project.',
      examples: ['flagwright flags local-evaluation -f json -o definitions.json'],
      operations: ['getProject', 'getDefinitions', 'localEvaluation'],
      columns: ['id', 'key', 'active', 'name'],
      parameters: {},
      run: async (client) => {
        const document = await readDefinitions(client);
        return { kind: 'records', records: document.flags ?? [document], document };
      },
    }),
    command({
      name: 'mine',
      summary: 'show the value of each flag for the owner of the API key',
      examples: ['flagwright flags mine'],
      operations: ['myFlags'],
      columns: ['feature_flag.key', 'value'],
      parameters: { groups: GROUPS },
      run: async (client, { groups }) => ({ kind: 'records', records: await client.myFlags(defined({ groups })) }),
    }),
    command({
      name: 'blast-radius',
      summary: 'count the users that a condition affects',
      examples: [`flagwright flags blast-radius --condition '{"properties": [{"key": "plan", "value": "pro"}]}'`],
      operations: ['userBlastRadius'],
      parameters: {
        condition: requiredJsonObject('--condition <json>', 'one release condition, as in filters.groups'),
        groupTypeIndex: whole('--group-type-index <n>', 'count groups of this type instead of users'),
      },
      run: async (client, { condition, groupTypeIndex }) => {
        const reach = await client.userBlastRadius(defined({ condition, groupTypeIndex }));
        return { kind: 'record', record: { ...reach } };
      },
    }),
  ],
};

/** Sorting needs the whole list. */
async function* findFlags(
  client: ServiceClient,
  filter: FlagFilter,
  { order, limit }: { readonly order: string | undefined; readonly limit: number },
): AsyncGenerator<Flag, void, undefined> {
  if (order !== undefined) {
    const flags = await client.listFlags({ ...filter, order });
    yield* sortFlags(
      flags.filter((flag) => isWanted(flag, filter)),
      order,
    );
    return;
  }
  // A service that does not filter may return few wanted flags per page, so pages are large.
  const pageSize = Object.keys(filter).length > 0 ? LARGEST_PAGE : Math.min(LARGEST_PAGE, limit);
  for await (const flag of client.pageFlags({ pageSize, ...filter })) if (isWanted(flag, filter)) yield flag;
}

/** As the options of `flags list` ask. */
function filterOf({ search, key, active, stale, archived }: ListOptions): FlagFilter {
  return {
    ...defined({ search, key }),
    ...(active === true ? { active } : {}),
    ...(stale === true ? { active: 'STALE' as const } : {}),
    ...(archived === true ? { archived } : {}),
  };
}

interface ListOptions extends Pick<FlagListQuery, 'search' | 'key'> {
  readonly active?: boolean;
  readonly stale?: boolean;
  readonly archived?: boolean;
}

async function* withDifferences(
  entries: AsyncIterable<JsonObject>,
  isOpenFlag: boolean,
): AsyncGenerator<JsonObject, void, undefined> {
  for await (const entry of entries) {
    yield { ...entry, differences: readEdit(entry, isOpenFlag).differences.map((one) => ({ ...one })) };
  }
}

export type FlagFilter = Pick<FlagListQuery, 'search' | 'key' | 'active' | 'archived'>;

/** Whether the flag passes the filter, by the same rules as on a service that filters. */
export function isWanted(flag: Flag, { search, key, active, archived }: FlagFilter): boolean {
  // The service searches the names of linked experiments too.
  const names = [flag.key, flag.name, ...(flag.experiment_set_metadata ?? []).map((experiment) => experiment.name)];
  return (
    (search === undefined || names.some((name) => normalize(name ?? '').includes(normalize(search)))) &&
    (key === undefined || flag.key.toLowerCase() === key.toLowerCase()) &&
    (active === undefined || isActive(flag, active)) &&
    (archived === undefined || (flag.archived ?? false) === archived)
  );
}

/**
 * Sorts by a field, descending with a leading `-`. Flags without a value come last, equal ones keep their order.
 * @throws {FlagwrightError} `usage` for a field that no flag has.
 */
export function sortFlags(flags: readonly Flag[], order: string): readonly Flag[] {
  const field = order.replace(/^-/, '');
  if (flags.length > 0 && !flags.some((flag) => Object.hasOwn(flag, field))) {
    throw new FlagwrightError('usage', `No flag has a field '${field}' to sort by.`, {
      remedy: 'Use key, name, active, created_at or another field that flags list -f json shows.',
    });
  }
  const sign = order.startsWith('-') ? -1 : 1;
  // A person, as in `created_by`, is compared by id.
  const valueOf = (flag: Flag): JsonValue => {
    const value = flag[field];
    return (isJsonObject(value) ? value['id'] : value) ?? null;
  };
  return flags.toSorted((one, other) => {
    const [left, right] = [valueOf(one), valueOf(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compare(left, right);
  });
}

/** @throws {FlagwrightError} `usage` if the service does not know which flags are stale. */
function isActive(flag: Flag, wanted: boolean | 'STALE'): boolean {
  if (wanted !== 'STALE') return (flag.active ?? true) === wanted;
  const { status } = flag as JsonObject;
  if (typeof status === 'string') return status === 'STALE';
  throw new FlagwrightError('usage', `The service does not say whether ${quoteShort(flag.key)} is stale.`, {
    remedy:
      'PostHog has reported the status of flags since 2025. `flagwright stale` judges flags by the code and git too.',
  });
}

/** The search treats a space, a dash and an underscore alike. */
function normalize(text: string): string {
  return text.trim().toLowerCase().replaceAll(/[ _-]/g, ' ');
}

function compare(left: JsonValue, right: JsonValue): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  const [one, other] = [plainText(left), plainText(right)];
  return Number(one > other) - Number(one < other);
}

/** The flags of a project as evaluation takes them, and the groups that a request names. */

import { parseJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../base/json.ts';
import { evaluateFlags } from '../../evaluation/evaluate.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import type { Call, ServiceContext } from '../call.ts';
import { invalid } from '../envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { evaluatedFlag, evaluationContext, subjectOf, type NamedSubject } from './context.ts';

/** A limit that SQLite takes for none. */
const ALL = { limit: -1, offset: 0 };

/** All that are not deleted, newest first; archived and inactive ones too. */
export function projectFlags({ store }: ServiceContext, projectId: string): StoredFlag[] {
  return store.flags.list(projectId, {}, ALL);
}

/** Every flag's value for somebody, by key. */
export function evaluateAll(
  service: ServiceContext,
  { projectId, flags }: { readonly projectId: string; readonly flags: readonly StoredFlag[] },
  named: NamedSubject,
): ReadonlyMap<string, Evaluation> {
  return evaluateFlags({
    flags: flags.map(evaluatedFlag),
    context: evaluationContext(service, projectId),
    subject: subjectOf(service, projectId, named),
  });
}

/** `groups`, JSON text in the query: group type to group key. */
export function groupsFrom(query: URLSearchParams): NamedSubject['groups'] {
  const text = query.get('groups');
  if (text === null || text === '') return {};
  try {
    return groupKeys(parseJson(text));
  } catch {
    throw invalid('invalid_input', 'Expected a JSON object of group types and keys.', 'groups');
  }
}

/** Whatever is no key of a group is passed over. */
export function groupKeys(value: JsonValue | undefined): NamedSubject['groups'] {
  if (!isJsonObject(value)) return {};
  const keys = Object.entries(value).filter(([, key]) => typeof key === 'string' || typeof key === 'number');
  return Object.fromEntries(keys) as NamedSubject['groups'];
}

/** `flag_keys`, a JSON list or keys with commas between; `undefined` where all flags are meant. */
export function wantedKeys({ query }: Call): ((key: string) => boolean) | undefined {
  const texts = query.getAll('flag_keys').filter((text) => text !== '');
  if (texts.length === 0) return undefined;
  const keys = new Set(texts.flatMap(keysIn));
  return (key) => keys.has(key);
}

function keysIn(text: string): string[] {
  if (!text.startsWith('[')) return text.split(',').map((key) => key.trim());
  try {
    const list = parseJson(text);
    return isJsonArray(list) ? list.filter((key) => typeof key === 'string') : [];
  } catch {
    throw invalid('invalid_input', 'Expected a JSON list of keys.', 'flag_keys');
  }
}

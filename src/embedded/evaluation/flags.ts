/** The flags of a project as evaluation takes them, and the groups that a request names. */

import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { evaluateFlags } from '../../evaluation/evaluate.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredFlag } from '../store/flag.ts';
import { evaluatedFlag, evaluationContext, findSubject, type NamedSubject } from './context.ts';

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
    subject: findSubject(service, projectId, named),
  });
}

/** Whatever is no key of a group is passed over. */
export function readGroupKeys(value: JsonValue | undefined): NamedSubject['groups'] {
  if (!isJsonObject(value)) return {};
  const keys = Object.entries(value).filter(([, key]) => typeof key === 'string' || typeof key === 'number');
  return Object.fromEntries(keys) as NamedSubject['groups'];
}

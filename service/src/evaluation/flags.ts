/** Evaluates the flags of a project, and reads the groups that a request names. */

import { isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import { prepareFlags } from '../../../src/evaluation/evaluate.ts';
import type { Evaluation } from '../../../src/evaluation/input.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredFlag } from '../store/flag.ts';
import { NO_LIMIT } from '../store/flags.ts';
import { evaluatedFlag, evaluationContext, findSubject, type NamedSubject } from './context.ts';

const ALL = { limit: NO_LIMIT, offset: 0 };

/** All flags that are not deleted, newest first, including archived and inactive ones. */
export function projectFlags({ store }: ServiceContext, projectId: string): readonly StoredFlag[] {
  return store.remember(`flags of ${projectId}`, () => store.flags.list(projectId, {}, ALL));
}

/** The value of every flag of a project for a subject, by key. */
export function evaluateAll(
  service: ServiceContext,
  projectId: string,
  named: NamedSubject,
): ReadonlyMap<string, Evaluation> {
  const evaluate = service.store.remember(`evaluation of ${projectId}`, () =>
    prepareFlags(projectFlags(service, projectId).map(evaluatedFlag)),
  );
  return evaluate({
    context: evaluationContext(service, projectId),
    subject: findSubject(service, projectId, named),
  });
}

/** Ignores values that are not group keys. */
export function readGroupKeys(value: JsonValue | undefined): NamedSubject['groups'] {
  if (!isJsonObject(value)) return {};
  const keys = Object.entries(value).filter(([, key]) => typeof key === 'string' || typeof key === 'number');
  return Object.fromEntries(keys) as NamedSubject['groups'];
}

/** The values that all steps of one evaluation share. */

import { memberOf, setMember, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Evaluation, EvaluationContext, EvaluationInput, Subject } from './input.ts';
import type { FilterMatch } from './match-property.ts';
import { GENERATIONS, type GenerationRules } from './generations.ts';

export interface EvaluationScope {
  readonly rules: GenerationRules;
  readonly context: EvaluationContext;
  readonly subject: Subject;
  /** The person's properties, `distinct_id` included. */
  readonly person: JsonObject;
  /** Whether the person is in the dynamic cohorts that were asked for, by id; `undefined` for one of which that cannot be known. */
  readonly membership: Map<string, FilterMatch | undefined>;
  /** The other flag, by id or key; `undefined` for a flag without a value. */
  readonly findFlag: (key: string) => Pick<Evaluation, 'value' | 'reason'> | undefined;
}

/** The properties whose first value the service keeps. */
const TRACKED: readonly string[] = [
  ...['$app_build', '$app_name', '$app_namespace', '$app_version', '$browser', '$browser_version', '$device_type'],
  ...['$current_url', '$pathname', '$os', '$os_version', '$referring_domain', '$referrer', '$screen_height'],
  ...['$screen_width', '$viewport_height', '$viewport_width', '$raw_user_agent'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'],
  ...['gclid', 'gad_source', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'twclid', 'li_fat_id'],
  ...['mc_cid', 'igshid', 'ttclid', 'rdt_cid', 'epik', 'qclid', 'sccid', 'irclid', '_kx'],
];

export function createScope(
  { context, subject }: Pick<EvaluationInput, 'context' | 'subject'>,
  findFlag: EvaluationScope['findFlag'],
): EvaluationScope {
  const rules = GENERATIONS[context.generation];
  const given = { distinct_id: subject.distinctId, ...subject.personProperties };
  const person = rules.fillsInitialProperties ? withInitialProperties(given) : given;
  return { rules, context, subject, person, membership: new Map(), findFlag };
}

/** The properties of the subject's group of a type, `$group_key` included; none for an unknown type or group. */
export function groupProperties(typeIndex: number, { context, subject }: EvaluationScope): JsonObject {
  const type = context.groupTypes[String(typeIndex)];
  if (type === undefined || !Object.hasOwn(subject.groups, type)) return {};
  const properties = Object.hasOwn(subject.groupProperties, type) ? subject.groupProperties[type] : {};
  return { $group_key: subject.groups[type], ...properties };
}

/** The name of the first value of each. Built once: every evaluation passes here. */
const INITIAL: ReadonlyMap<string, string> = new Map(
  TRACKED.map((name) => [name, `$initial_${name.replace(/^\$/, '')}`]),
);

/**
 * Fills missing initial properties from the current ones, since the service stores them with a delay: without
 * `$initial_browser`, a condition on it uses `$browser`.
 */
export function withInitialProperties(properties: JsonObject): JsonObject {
  let filled: Record<string, JsonValue | undefined> | undefined;
  for (const name of Object.keys(properties)) {
    const initial = INITIAL.get(name);
    if (initial === undefined || Object.hasOwn(properties, initial)) continue;
    filled ??= { ...properties };
    setMember(filled, initial, memberOf(properties, name));
  }
  return filled ?? properties;
}

/** The JSON of policy findings, with the sentence of each (`policy` in schemas/plan.schema.json), and of changes that cannot be undone. */

import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { type BrokenRule, brokenRuleDocument } from '../../../policy/broken-rules.ts';
import { type Judgement, judgementDocument } from '../../../policy/finding.ts';
import type { FieldChange } from '../../../posthog/plan.ts';
import type { RefusedInversion } from '../../../posthog/planning/invert-plan.ts';
import { brokenRuleText, findingText } from '../../words/rules.ts';

export function judgementOf(judgement: Judgement): JsonObject {
  return judgementDocument(judgement, (finding) => ({ text: findingText(finding) }));
}

/** Entries of `broken_rules`: safety rules and policies in one list. */
export function brokenRuleDocuments(broken: readonly BrokenRule[]): JsonObject[] {
  return broken.map((one) => brokenRuleDocument(one, { text: brokenRuleText(one) }));
}

export function refusedDocument(refused: RefusedInversion): JsonObject {
  return { ...refused, moved: fieldDocuments(refused.moved) };
}

export function fieldDocuments(fields: readonly FieldChange[]): JsonValue[] {
  return fields.map((field) => ({ ...field }) as unknown as JsonValue);
}

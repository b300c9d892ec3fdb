/** The JSON of policy findings, with the sentence of each (`policy` in schemas/plan.schema.json), and of changes that cannot be undone. */

import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { type Finding, type Judgement, judgementDocument } from '../../../policy/finding.ts';
import { brokenRuleDocument, type BrokenRule } from '../../../policy/broken-rules.ts';
import { brokenRuleText, findingText } from '../../words/rules.ts';
import type { FieldChange } from '../../../posthog/plan.ts';
import type { RefusedInversion } from '../../../posthog/planning/invert-plan.ts';

export function policyMember(judgement: Judgement | undefined): { readonly policy?: JsonObject } {
  return judgement === undefined ? {} : { policy: judgementOf(judgement) };
}

export function judgementOf(judgement: Judgement): JsonObject {
  return judgementDocument(judgement, textOf);
}

/** Entries of `broken_rules`: safety rules and policies in one list. */
export function brokenRuleDocuments(broken: readonly BrokenRule[]): JsonObject[] {
  return broken.map((one) => brokenRuleDocument(one, { text: brokenRuleText(one) }));
}

export function findingDocument(finding: Finding): JsonObject {
  return { ...(finding as unknown as JsonObject), ...textOf(finding) };
}

function textOf(finding: Finding): JsonObject {
  return { text: findingText(finding) };
}

export function refusedDocument(refused: RefusedInversion): JsonObject {
  return { ...refused, moved: fieldDocuments(refused.moved) };
}

export function fieldDocuments(fields: readonly FieldChange[]): JsonValue[] {
  return fields.map((field) => ({ ...field }) as unknown as JsonValue);
}

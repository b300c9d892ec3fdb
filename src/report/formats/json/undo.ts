/** What `undo --out` prints (schemas/undo.schema.json): the document of the plan, and the changes that it leaves out. */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import { planDocument } from '../../../posthog/plan-document.ts';
import { effectsOf } from '../../plan-effects.ts';
import type { ReportOf } from '../../report.ts';
import { brokenRuleDocuments } from './findings.ts';
import { effectsDocument } from './plan.ts';
import { refusedDocument } from './refusal.ts';
import { FORMAT_VERSION } from './version.ts';

export function undoDocument({ run, plan, forecast, refused }: ReportOf<'undo'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    run,
    plan: planDocument(plan, defined({ forecast })),
    refused: refused.map(refusedDocument),
    effects: effectsOf(plan).map(effectsDocument),
    broken_rules: brokenRuleDocuments(brokenRules(plan)),
  };
}

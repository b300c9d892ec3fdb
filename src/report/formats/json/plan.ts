/** What `plan` and `drift` print (schemas/plan.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { planDocument } from '../../../posthog/plan-document.ts';
import type { ReportOf } from '../../report.ts';

export function planReportDocument(report: ReportOf<'plan' | 'drift'>): JsonObject {
  return planDocument(report.plan, report.kind === 'plan' ? report.forecast : undefined);
}

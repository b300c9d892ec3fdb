/** What `plan` and `drift` print (schemas/plan.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { planDocument } from '../../../posthog/plan-document.ts';
import type { ReportOf } from '../../report.ts';

export function planReportDocument(report: ReportOf<'plan' | 'drift'>): JsonObject {
  const { plan, attributions } = report;
  return planDocument(plan, defined({ forecast: report.kind === 'plan' ? report.forecast : undefined, attributions }));
}

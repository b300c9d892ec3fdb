/** What `explain` prints (schemas/explain.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { aliasIn } from '../../../posthog/resource-path.ts';
import { pageUrl } from '../../../posthog/page-url.ts';
import type { ReportOf } from '../../report.ts';
import { FORMAT_VERSION } from './version.ts';
import { defined } from '../../../base/optional.ts';

export function explainDocument({ project, key, values, live, history }: ReportOf<'explain'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project: { ...project },
    key,
    live: { ...live },
    history: { ...history },
    ...defined({
      url:
        live.kind === 'read'
          ? pageUrl(project, { resource: aliasIn(key) === undefined ? 'flag' : 'cohort', id: live.id })
          : undefined,
    }),
    values: values.map((value) => ({ ...value }) as unknown as JsonObject),
  };
}

/** What `serve` prints. */

import type { JsonObject } from '../../../base/json.ts';
import type { ReportOf } from '../../report.ts';
import { FORMAT_VERSION } from './version.ts';

export function serviceDocument({ url, projectId, environment }: ReportOf<'service'>): JsonObject {
  return { format_version: FORMAT_VERSION, url, project_id: projectId, environment: { ...environment } };
}

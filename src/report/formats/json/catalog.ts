/** The JSON of the catalogue: what its page shows. */

import type { JsonObject } from '../../../base/json.ts';
import { catalogView } from '../../model/catalog-view.ts';
import type { ReportOf } from '../../report.ts';
import { FORMAT_VERSION } from './seal.ts';

export function catalogDocument({ catalog }: ReportOf<'catalog'>): JsonObject {
  return { format_version: FORMAT_VERSION, ...(catalogView(catalog) as unknown as JsonObject) };
}

/** The variables that point a client at the embedded service, as lines that a shell can run. */

import type { ReportOf } from '../../report.ts';

export function serviceText({ environment }: ReportOf<'service'>): string {
  return Object.entries(environment)
    .map(([name, value]) => `export ${name}=${value}\n`)
    .join('');
}

/** Where the embedded service listens, as lines that can be pasted into a shell or evaluated by one. */

import type { ReportOf } from '../../report.ts';

export function serviceText({ environment }: ReportOf<'service'>): string {
  return Object.entries(environment)
    .map(([name, value]) => `export ${name}=${value}\n`)
    .join('');
}

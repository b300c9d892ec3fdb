/** Why there was nothing to do, as text. */

import type { NothingReason, ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { projectLine } from './sections.ts';

export function nothingText(report: ReportOf<'nothing'>, { palette }: View): string {
  return `${projectLine(reasonText(report.reason), report, palette)}\n`;
}

export function reasonText(reason: NothingReason): string {
  switch (reason.code) {
    case 'nothing_to_resume':
      return 'Nothing to resume in';
    case 'already_off':
      return 'Already off in';
    case 'run_changed_nothing':
      return `Run ${reason.run} changed nothing in`;
  }
}

/** A report as a message to a chat, in one of its forms. */

import { type MessageFacts, type MessageSpan, layOut } from '../../model/message.ts';
import {
  driftFacts,
  failureFacts,
  nothingFacts,
  planFacts,
  projectsFacts,
  resultFacts,
  undoFacts,
} from '../../model/message-facts.ts';
import type { Report, ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { plainForm, slackForm, teamsForm } from './forms.ts';

type MessagedKind = 'plan' | 'drift' | 'result' | 'nothing' | 'projects' | 'undo' | 'failure';

const FACTS: { readonly [Kind in MessagedKind]: (report: ReportOf<Kind>) => MessageFacts } = {
  plan: planFacts,
  drift: driftFacts,
  result: resultFacts,
  nothing: nothingFacts,
  projects: (report) => projectsFacts(report, factsOf),
  undo: undoFacts,
  failure: failureFacts,
};

const FORMS = { message: plainForm, slack: slackForm, teams: teamsForm } as const;

/** `facts`: those of a report of an optional room. */
export function messageText(
  report: ReportOf<MessagedKind> | MessageFacts,
  form: keyof typeof FORMS,
  { run }: Pick<View, 'run'>,
): string {
  return FORMS[form](layOut('kind' in report ? factsOf(report) : report, run));
}

function factsOf(report: Report): MessageFacts {
  const make = (FACTS as Readonly<Record<string, ((given: never) => MessageFacts) | undefined>>)[report.kind];
  const unknown: MessageSpan = report.kind;
  return make?.(report as never) ?? { head: [unknown], items: [] };
}

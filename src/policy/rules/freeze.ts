/** `freeze`: no change in some hours or days. A window that denies beats one that allows. */

import type { Rule } from '../judged.ts';
import { WEEKDAYS, type PolicyFor, type TimeWindow, type Weekday } from '../policy.ts';
import { localTime, type LocalTime } from '../local-time.ts';

export const freeze: Rule<PolicyFor<'freeze'>> = ({ classes }, { deny, allow, except }, { now }) => {
  if (classes.every((name) => except.includes(name))) return [];
  const denying = deny.find((window) => contains(window, localTime(now, window.zone)));
  if (denying !== undefined) return [{ facts: factsOf(denying, { denied: true, now }) }];
  const [first] = allow ?? [];
  const isAllowed = allow?.some((window) => contains(window, localTime(now, window.zone))) ?? true;
  return isAllowed || first === undefined ? [] : [{ facts: factsOf(first, { denied: false, now }) }];
};

interface When {
  readonly denied: boolean;
  readonly now: number;
}

function factsOf(window: TimeWindow, { denied, now }: When) {
  const { weekday, date, time } = localTime(now, window.zone);
  return { what: 'freeze' as const, denied, window, local: `${weekday} ${date} ${time}` };
}

function contains(window: TimeWindow, { weekday, date, time }: LocalTime): boolean {
  if (window.kind === 'dates') {
    const moment = `${date}T${time}`;
    return momentOf(window.from) <= moment && moment < momentOf(window.to);
  }
  const { days, from, to } = window;
  const begins = days.includes(weekday) && from <= time;
  if (from < to) return begins && time < to;
  return begins || (days.includes(dayBefore(weekday)) && time < to);
}

/** Of a day, its beginning. */
function momentOf(text: string): string {
  return text.includes('T') ? text : `${text}T00:00`;
}

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS[(WEEKDAYS.indexOf(day) + 6) % 7] ?? day;
}

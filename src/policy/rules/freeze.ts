/** `freeze`: no change in some hours or days. A window that denies beats one that allows. */

import { among, array, boolean, define, is, object, ref, string } from '../../base/schema.ts';
import type { EffectClass } from '../../effects/effect.ts';
import { localTime, WEEKDAYS, type LocalTime, type Weekday } from '../basis/local-time.ts';
import type { PolicyKind, Wording } from '../basis/policy-kind.ts';

export interface Freeze {
  readonly written: {
    readonly deny?: readonly WrittenWindow[];
    readonly allow?: readonly WrittenWindow[];
    readonly except?: readonly EffectClass[];
  };
  /**
   * `deny` beats `allow`, which is absent if changes are always allowed. `except`: changes of nothing but these classes are allowed at any
   * time.
   */
  readonly options: {
    readonly deny: readonly TimeWindow[];
    readonly allow?: readonly TimeWindow[];
    readonly except: readonly EffectClass[];
  };
  /**
   * `denied`: in a window of `deny`; otherwise outside every window of `allow`, of which `window` is the first. `local`: the time in the
   * zone of the window, `fri 2026-12-25 17:03`.
   */
  readonly facts: {
    readonly what: 'freeze';
    readonly denied: boolean;
    readonly window: TimeWindow;
    readonly local: string;
  };
}

/** A window in the local time of an IANA time zone. */
type TimeWindow =
  /** `2026-12-20` or `2026-12-20T18:00`; `to` is the first moment after the window. */
  | { readonly kind: 'dates'; readonly from: string; readonly to: string; readonly zone: string }
  /** Times such as `16:00`, to `24:00`; a window that ends before it begins ends on the next day. */
  | {
      readonly kind: 'weekly';
      readonly days: readonly Weekday[];
      readonly from: string;
      readonly to: string;
      readonly zone: string;
    };

export interface WrittenWindow {
  readonly days?: readonly Weekday[];
  readonly from?: string;
  readonly to?: string;
  readonly zone: string;
}

/** Sorted as in messages. */
const CLASSES: Readonly<Record<EffectClass, true>> = {
  metadata: true,
  payload: true,
  access: true,
  dependency: true,
  widen: true,
  narrow: true,
  enable: true,
  kill: true,
  're-split': true,
  're-bucket': true,
  create: true,
  delete: true,
  restore: true,
  opaque: true,
};

const time = define('time', string({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$', examples: ['16:00'] }));
const zone = define(
  'zone',
  string({ description: 'A time zone of the IANA database.', examples: ['Europe/Berlin', 'UTC'] }),
);
const moment = define(
  'moment',
  string({
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T([01]\\d|2[0-3]):[0-5]\\d)?$',
    examples: ['2026-12-20', '2026-12-20T18:00'],
  }),
);
const window = define('window', {
  title: 'Times',
  description: 'From one day or moment to another, or with `days` every week.',
  type: 'object',
  if: { required: ['days'] },
  then: {
    properties: {
      days: array(among(WEEKDAYS), { description: 'The days on which it begins.', minItems: 1 }),
      from: ref(time, { description: 'The time of day.', default: '00:00' }),
      to: ref(time, { description: 'The first minute after it; before `from`: on the next day.', default: '24:00' }),
      zone,
    },
    required: ['zone'],
    additionalProperties: false,
  },
  else: {
    properties: {
      from: ref(moment, 'The first day or minute.'),
      to: ref(moment, 'The first day or minute after it.'),
      zone,
    },
    required: ['from', 'to', 'zone'],
    additionalProperties: false,
  },
});
const windows = define('windows', array(window));

export const freeze: PolicyKind<Freeze> = {
  description: 'No changes at some times.',
  schema: {
    'deny?': ref(windows, 'Times without changes. They beat `allow`.'),
    'allow?': ref(windows, 'The only times for changes. Default: always.'),
    'except?': array(among(Object.keys(CLASSES)), {
      description: 'Changes of these classes alone are made at any time.',
      examples: [['kill']],
    }),
  },
  together: { if: { properties: { allow: false } }, then: { required: ['deny'] } },
  contents: { deny: 'windows', allow: 'windows' },
  read: ({ deny = [], allow, except = [] }) => ({
    deny: deny.map(toWindow),
    ...(allow === undefined ? {} : { allow: allow.map(toWindow) }),
    except,
  }),
  judge: ({ classes }, { deny, allow, except }, { now }) => {
    if (classes.every((name) => except.includes(name))) return [];
    const denying = deny.find((one) => contains(one, localTime(now, one.zone)));
    if (denying !== undefined) return [{ facts: factsOf(denying, { denied: true, now }) }];
    const [first] = allow ?? [];
    const isAllowed = allow?.some((one) => contains(one, localTime(now, one.zone))) ?? true;
    return isAllowed || first === undefined ? [] : [{ facts: factsOf(first, { denied: false, now }) }];
  },
  // A run may make the step later in the same window.
  covers: ({ local }, found, isSame) => isSame({ ...found, local }),
  facts: [
    object({
      what: is('freeze'),
      denied: boolean('In a window of `deny`; otherwise outside every window of `allow`'),
      window: {
        anyOf: [
          object({ kind: is('dates'), from: string(), to: string(), zone: string() }),
          object({ kind: is('weekly'), days: array(among(WEEKDAYS)), from: string(), to: string(), zone: string() }),
        ],
      },
      local: string('The time of the run, or of the step to come, in the zone of the window'),
    }),
  ],
  text: (facts, wording) => {
    const changes = facts.denied ? 'are frozen' : 'are allowed at other times only, such as';
    const time = wording.quote(facts.local);
    return `changes at a time without changes: on ${time}, changes ${changes} ${windowText(facts.window, wording)}`;
  },
};

function toWindow({ days, from, to, zone: of }: WrittenWindow): TimeWindow {
  if (days === undefined) return { kind: 'dates', from: from ?? '', to: to ?? '', zone: of };
  return { kind: 'weekly', days, from: from ?? '00:00', to: to ?? '24:00', zone: of };
}

interface FreezeMoment {
  readonly denied: boolean;
  readonly now: number;
}

function factsOf(found: TimeWindow, { denied, now }: FreezeMoment): Freeze['facts'] {
  const { weekday, date, time: of } = localTime(now, found.zone);
  return { what: 'freeze', denied, window: found, local: `${weekday} ${date} ${of}` };
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

/** A date without a time means the beginning of the day. */
export function momentOf(text = ''): string {
  return text.includes('T') ? text : `${text}T00:00`;
}

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS[(WEEKDAYS.indexOf(day) + 6) % 7] ?? day;
}

/** `from 2026-12-20 to 2027-01-03 (Europe/Berlin)`, `mon, tue 08:00 to 16:00 (Europe/Berlin)`. */
function windowText(found: TimeWindow, { quote }: Wording): string {
  const of = quote(found.zone);
  if (found.kind === 'dates') return `from ${quote(found.from)} to ${quote(found.to)} (${of})`;
  return `${found.days.join(', ')} ${quote(found.from)} to ${quote(found.to)} (${of})`;
}

/** `freeze`: no change in some hours or days. A window that denies beats one that allows. */

import { among, array, boolean, define, is, object, ref, string } from '../../../base/schema.ts';
import type { EffectClass } from '../../effects/effect.ts';
import type { PolicyKind } from '../basis/policy-kind.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

type Weekday = (typeof WEEKDAYS)[number];

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
export type TimeWindow =
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
    const isIn = (window: TimeWindow): boolean => contains(window, localTime(now, window.zone));
    const [denying, [first] = []] = [deny.find(isIn), allow];
    const window = denying ?? (allow?.some(isIn) === false ? first : undefined);
    if (window === undefined) return [];
    const { weekday, date, time: of } = localTime(now, window.zone);
    const local = `${weekday} ${date} ${of}`;
    return [{ facts: { what: 'freeze', denied: denying !== undefined, window, local } }];
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
    return `changes at a forbidden time: on ${time}, changes ${changes} ${windowText(facts.window, wording.quote)}`;
  },
};

/** `from 2026-12-20 to 2027-01-03 (Europe/Berlin)`, `mon, tue 08:00 to 16:00 (Europe/Berlin)`. */
export function windowText(window: TimeWindow, quote: (text: string) => string): string {
  const days = window.kind === 'dates' ? 'from' : window.days.join(', ');
  const [from, to, of] = [window.from, window.to, window.zone].map((text) => quote(text));
  return `${days} ${from} to ${to} (${of})`;
}

function toWindow({ days, from, to, zone: of }: WrittenWindow): TimeWindow {
  if (days === undefined) return { kind: 'dates', from: from ?? '', to: to ?? '', zone: of };
  return { kind: 'weekly', days, from: from ?? '00:00', to: to ?? '24:00', zone: of };
}

function contains(window: TimeWindow, { weekday, date, time }: LocalTime): boolean {
  if (window.kind === 'dates') {
    const moment = `${date}T${time}`;
    return momentOf(window.from) <= moment && moment < momentOf(window.to);
  }
  const { days, from, to } = window;
  const begins = days.includes(weekday) && from <= time;
  if (from < to) return begins && time < to;
  return begins || (days.includes(WEEKDAYS[(WEEKDAYS.indexOf(weekday) + 6) % 7] ?? weekday) && time < to);
}

/** When a window is, between two times in milliseconds since 1970: each time that it begins before the end and ends after the start. */
export function occurrencesOf(
  window: TimeWindow,
  { start, end }: Readonly<Record<'start' | 'end', number>>,
): readonly { readonly from: number; readonly to: number }[] {
  const { zone: of } = window;
  const isIn = ({ from, to }: { readonly from: number; readonly to: number }): boolean => from < end && to > start;
  if (window.kind === 'dates')
    return [{ from: instantOf(momentOf(window.from), of), to: instantOf(momentOf(window.to), of) }].filter(isIn);
  const { days, from, to } = window;
  // One that began on the day before may last, and no zone is a whole day from UTC.
  const dates = Array.from({ length: Math.ceil((end - start) / DAY) + 4 }, (_, index) => dateOf(start, index - 2));
  return dates
    .filter((date) => days.includes(WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7] ?? 'mon'))
    .map((date) => ({
      from: instantOf(`${date}T${from}`, of),
      to: instantOf(`${from < to ? date : dateOf(Date.parse(date), 1)}T${to}`, of),
    }))
    .filter(isIn);
}

const DAY = 86_400_000;

function dateOf(time: number, daysLater: number): string {
  return new Date(time + daysLater * DAY).toISOString().slice(0, 10);
}

/** Of a local time such as `2026-12-20T16:00` or `2026-12-20T24:00`. One that a clock skips or has twice is one of those around it. */
function instantOf(local: string, zone: string): number {
  const wanted = Date.parse(`${local.replace(/T24:00$/, 'T00:00')}:00Z`) + (local.endsWith('T24:00') ? DAY : 0);
  const shown = (at: number): number => {
    const { date, time: of } = localTime(at, zone);
    return Date.parse(`${date}T${of}:00Z`);
  };
  const near = wanted - (shown(wanted) - wanted);
  return near + (wanted - shown(near));
}

/** A date without a time means the beginning of the day. */
export function momentOf(text = ''): string {
  return text.includes('T') ? text : `${text}T00:00`;
}

interface LocalTime {
  readonly weekday: Weekday;
  /** `2026-12-20`. */
  readonly date: string;
  /** `16:00`. */
  readonly time: string;
}

/** `now`: milliseconds since 1970. `zone`: one that `isTimeZone` knows. */
function localTime(now: number, zone: string): LocalTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const weekday = WEEKDAYS.find((day) => part('weekday').toLowerCase().startsWith(day)) ?? 'mon';
  return {
    weekday,
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}`,
  };
}

export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes longer than using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const made = FORMATS.get(timeZone);
  if (made !== undefined) return made;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    weekday: 'short',
  });
  FORMATS.set(timeZone, format);
  return format;
}

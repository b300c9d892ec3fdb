/** The share of people over time as a picture of steps: what is sure is filled, and what is possible is a line above it. */

import type { Plot } from '../../model/report-model.ts';
import { timeText } from '../../words/times.ts';
import { element, escapeHtml } from './elements.ts';

const WIDTH = 640;
const HEIGHT = 100;

/** Text does not stand in the picture, which is as wide as the page. */
export function plotLines({ title, points }: Plot): string[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.at === last.at) return [];
  // The last step is as wide as a tenth of the others.
  const end = last.at + (last.at - first.at) / 9;
  const x = (at: number): string => (((at - first.at) / (end - first.at)) * WIDTH).toFixed(1);
  const steps = (value: (point: Plot['points'][number]) => number): string =>
    points
      .map((point, index) => {
        const y = HEIGHT - value(point);
        return `L${x(point.at)},${y} L${x(points[index + 1]?.at ?? end)},${y}`;
      })
      .join(' ');
  const sure = `M0,${HEIGHT} ${steps(({ least }) => least)} L${WIDTH},${HEIGHT} Z`;
  const possible = `M0,${HEIGHT} ${steps(({ most }) => most)}`;
  const words = `${title}: ${points.map(sharesText).join(' → ')}`;
  const [from, until] = [points[1] ?? first, last].map(({ at }) => timeText(new Date(at).toISOString()));
  return [
    '<figure>',
    element('figcaption', '', escapeHtml(words)),
    `<svg viewBox="0 -2 ${WIDTH} ${HEIGHT + 4}" width="100%" height="${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(words)}">`,
    `<path d="M0,0 H${WIDTH} M0,${HEIGHT / 2} H${WIDTH} M0,${HEIGHT} H${WIDTH}" stroke="currentColor" stroke-opacity="0.3" vector-effect="non-scaling-stroke"/>`,
    `<path d="${sure}" fill="currentColor" fill-opacity="0.3"/>`,
    `<path d="${possible}" fill="none" stroke="currentColor" stroke-width="2" vector-effect="non-scaling-stroke"/>`,
    '</svg>',
    element('p', 'class="dim"', escapeHtml(`0% to 100%; first step ${from}${from === until ? '' : `, last ${until}`}`)),
    '</figure>',
  ];
}

function sharesText({ least, most }: Plot['points'][number]): string {
  return least === most ? `${most}%` : `${least}% to ${most}%`;
}

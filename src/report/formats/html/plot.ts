/** The share of people over time as a picture of steps: what is sure is filled, and what is possible is a line above it. */

import type { Plot } from '../../model/report-model.ts';
import { timeText } from '../../words/times.ts';
import { element, escapeHtml } from './cards.ts';

const WIDTH = 640;
const HEIGHT = 100;

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
  const words = `${title}: share of people from ${timeText(new Date(first.at).toISOString())} to ${timeText(new Date(last.at).toISOString())}`;
  return [
    '<figure>',
    `<svg viewBox="0 -2 ${WIDTH} ${HEIGHT + 4}" width="100%" height="${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(words)}">`,
    `<path d="${sure}" fill="currentColor" fill-opacity="0.3"/>`,
    `<path d="${possible}" fill="none" stroke="currentColor" stroke-width="2" vector-effect="non-scaling-stroke"/>`,
    '</svg>',
    element('figcaption', '', escapeHtml(words)),
    '</figure>',
  ];
}

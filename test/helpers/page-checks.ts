/** Expressions for a page in a browser: what does not fit, and what cannot be read. */

/** What is wider than its place: the page, or the content of a part of it. */
export const OVERFLOWING = `(() => {
  const root = document.documentElement;
  const wide = [...document.querySelectorAll('main *')].filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && getComputedStyle(one).display !== 'inline');
  const out = [...document.querySelectorAll('main *:not(input)')].filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1);
  return [...(root.scrollWidth > root.clientWidth ? ['the page'] : []), ...[...wide, ...out].map((one) => one.outerHTML.slice(0, 120))];
})()`;

/** Text with a contrast below 4.5, as the guidelines for accessible content compute it. */
export const UNREADABLE = `(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [red, green, blue] = parts(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backOf = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    if (parts(colour)[3] !== 0) return colour;
    return element.parentElement === null ? 'rgb(255, 255, 255)' : backOf(element.parentElement);
  };
  const contrast = (element) => {
    const [dark, light] = [luminance(getComputedStyle(element).color), luminance(backOf(element))].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (data.trim() === '' || parentElement.getClientRects().length === 0) continue;
    if (contrast(parentElement) < 4.5) found.add(parentElement.outerHTML.slice(0, 120));
  }
  return [...found];
})()`;

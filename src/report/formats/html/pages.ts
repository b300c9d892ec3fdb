/** All pages in one module: they share most of their parts. */

export { failurePage, testPage, validationPage } from './checks-pages.ts';
export { driftPage, planPage, undoPage } from './plan-pages.ts';
export { nothingPage, resultPage } from './result-page.ts';

// VitePress' own theme, with the layout of the landing page and code in quotes that stays in them.

import theme from 'vitepress/theme';
import './style.css';

export default theme;

// The pictures of the console, drawn on 24 by 24.
import type { ReactNode } from 'react';

const PATHS = {
  add: 'M12 5v14M5 12h14',
  back: 'M19 12H5M11 6l-6 6 6 6',
  check: 'M5 13l4 4L19 7',
  chevronDown: 'M6 9l6 6 6-6',
  chevronRight: 'M9 6l6 6-6 6',
  chevronUp: 'M6 15l6-6 6 6',
  close: 'M6 6l12 12M18 6L6 18',
  columns: 'M4 5h16v14H4zM9.5 5v14M15 5v14',
  compare: 'M12 4v16M5 8h4M5 12h4M5 16h4M15 8h4M15 12h4M15 16h4',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  database:
    'M5 6c0-1.7 3.1-3 7-3s7 1.3 7 3-3.1 3-7 3-7-1.3-7-3zM5 6v12c0 1.7 3.1 3 7 3s7-1.3 7-3V6M5 12c0 1.7 3.1 3 7 3s7-1.3 7-3',
  delete: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  drag: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  globe: 'M12 3a9 9 0 100 18 9 9 0 000-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  image: 'M4 5h16v14H4zM8 10h.01M4 17l5-5 4 4 3-3 4 4',
  key: 'M14 10a4 4 0 11-4-4 4 4 0 014 4zM13 13l7 7M17 17l2-2',
  link: 'M10 14a4 4 0 005.7 0l3-3a4 4 0 00-5.7-5.7l-1 1M14 10a4 4 0 00-5.7 0l-3 3a4 4 0 005.7 5.7l1-1',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  logout: 'M14 4H5v16h9M10 12h10M16 8l4 4-4 4',
  menu: 'M4 6h16M4 12h16M4 18h16',
  model: 'M4 4h6v5H4zM14 15h6v5h-6zM7 9v8h7',
  moon: 'M20 14A8 8 0 0110 4a8 8 0 1010 10z',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  numbers: 'M10 6h10M10 12h10M10 18h10M4 5l1.5-1v4M4 11.5h2L4 14h2M4 16.5h2v3.5H4M4.5 18.2H6',
  people:
    'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3 20c0-4 3-6 6-6s6 2 6 6M16 4.5a3.5 3.5 0 010 6.5M18 14.5c2 1 3 3 3 5.5',
  refresh: 'M20 11a8 8 0 00-14-4L4 9M4 4v5h5M4 13a8 8 0 0014 4l2-2M20 20v-5h-5',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l5 5',
  server: 'M4 4h16v7H4zM4 13h16v7H4zM8 7.5h.01M8 16.5h.01',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { readonly name: IconName }): ReactNode => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

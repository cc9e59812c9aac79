import type { ReactNode } from 'react';

/** Something wide, such as a table, that scrolls by itself; by keyboard as well. */
export const ScrollBox = ({
  label,
  tall = false,
  children,
}: {
  /** What is in it. */
  readonly label: string;
  /** Whether all of its height is shown. Otherwise it scrolls up and down as well. */
  readonly tall?: boolean;
  readonly children: ReactNode;
}): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section className={tall ? 'scroll-box card' : 'scroll-box scroll-box-low card'} aria-label={label} tabIndex={0}>
    {children}
  </section>
);

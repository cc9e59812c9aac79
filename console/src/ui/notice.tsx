import type { ReactNode } from 'react';

export type Tone = 'good' | 'warn' | 'bad' | 'info';

export const Badge = ({ tone, children }: { readonly tone?: Tone; readonly children: ReactNode }): ReactNode => (
  <span className={tone ? `badge badge-${tone}` : 'badge'}>{children}</span>
);

export const Notice = ({
  tone = 'info',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}): ReactNode => (
  <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);

export const ErrorNotice = ({ error }: { readonly error: Error }): ReactNode => (
  <Notice tone="bad">{error.message}</Notice>
);

export const EmptyState = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode => (
  <div className="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

export const Spinner = ({ label = 'Loading…' }: { readonly label?: string }): ReactNode => (
  <div className="spinner" role="status">
    {label}
  </div>
);

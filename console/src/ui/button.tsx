import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icon.tsx';

export type ButtonKind = 'normal' | 'primary' | 'danger' | 'plain';

interface Look {
  readonly kind?: ButtonKind;
  readonly small?: boolean;
  readonly icon?: IconName;
}

const classOf = ({ kind = 'normal', small = false }: Look, isIcon: boolean): string =>
  ['button', kind !== 'normal' && `button-${kind}`, small && 'button-small', isIcon && 'button-icon']
    .filter(Boolean)
    .join(' ');

type ButtonProps = Look & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'>;

export function Button({ kind, small, icon, children, type = 'button', ...rest }: ButtonProps): ReactNode {
  return (
    <button className={classOf({ kind, small }, false)} type={type} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows a picture alone; `label` is what it is called. */
export function IconButton({
  kind = 'plain',
  small,
  icon,
  label,
  type = 'button',
  ...rest
}: ButtonProps & { readonly icon: IconName; readonly label: string }): ReactNode {
  return (
    <button className={classOf({ kind, small }, true)} type={type} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

/** A link within the console that looks like a button. */
export function ButtonLink({
  kind,
  small,
  icon,
  href,
  children,
}: Look & { readonly href: string; readonly children: ReactNode }): ReactNode {
  return (
    <Link className={classOf({ kind, small }, false)} href={href}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

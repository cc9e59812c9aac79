// The frame of every view: where one can go, who is logged in, and the view itself.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { ConsoleRight } from '../../../src/console/contract.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { toastError } from '../ui/toast.tsx';
import { api } from './api.ts';
import { useSession } from './session.ts';
import { chooseTheme, readTheme, type Theme } from './theme.ts';

interface Place {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  /** Any of these rights shows it; none: everyone sees it. */
  readonly rights: readonly ConsoleRight[];
}

const PLACES: readonly Place[] = [
  { href: '/content', label: 'Content', icon: 'list', rights: [] },
  { href: '/find', label: 'Find', icon: 'filter', rights: [] },
  { href: '/files', label: 'Files', icon: 'image', rights: ['files.read'] },
  { href: '/people', label: 'People', icon: 'people', rights: ['roles.read', 'tokens.read', 'accounts.read'] },
  { href: '/model', label: 'Model', icon: 'model', rights: ['model.read'] },
  { href: '/server', label: 'Server', icon: 'server', rights: ['server.read'] },
];

export function Layout({ children }: { readonly children: ReactNode }): ReactNode {
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [location]);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <div className="topbar">
        <IconButton icon="menu" label="Show where to go" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />
        <span className="brand">Sheaf</span>
      </div>
      <nav className={isOpen ? 'sidebar sidebar-open' : 'sidebar'} aria-label="Console">
        <Link className="brand" href="/content">
          Sheaf
        </Link>
        <Places />
        <AccountMenu />
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Places(): ReactNode {
  const [location] = useLocation();
  const { can } = useSession();
  const isCurrent = (href: string): boolean =>
    location.startsWith(href) || (href === '/content' && location.startsWith('/single'));
  return (
    <ul className="places">
      {PLACES.filter(({ rights }) => rights.length === 0 || rights.some(can)).map(({ href, label, icon }) => (
        <li key={href}>
          <Link className="place" href={href} aria-current={isCurrent(href) ? 'page' : undefined}>
            <Icon name={icon} />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'Colours of the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function AccountMenu(): ReactNode {
  const { account } = useSession();
  const [theme, setTheme] = useState(readTheme);
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const name = [account.firstname, account.lastname].filter(Boolean).join(' ') || account.email;
  const logOut = (): void => {
    api.delete('session').then(() => {
      client.clear();
      window.location.assign('/console');
    }, toastError);
  };
  return (
    <div className="account">
      <Menu
        trigger={
          <Button kind="plain" icon="chevronUp" aria-label={`Account: ${name}`}>
            <span className="account-name">{name}</span>
          </Button>
        }
        items={[
          ...THEMES.map(([value, label]) => ({
            label: (
              <>
                <Icon name={value === 'dark' ? 'moon' : 'sun'} />
                {label}
                {theme === value && <Icon name="check" />}
              </>
            ),
            onSelect: () => {
              chooseTheme(value);
              setTheme(value);
            },
          })),
          {
            label: (
              <>
                <Icon name="key" />
                Your rights
              </>
            ),
            onSelect: () => navigate('/people/you'),
          },
          {
            label: (
              <>
                <Icon name="logout" />
                Log out
              </>
            ),
            onSelect: logOut,
          },
        ]}
      />
    </div>
  );
}

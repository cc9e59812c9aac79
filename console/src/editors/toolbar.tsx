// The row of buttons over an editor. One Tab leads into it, arrow keys within it.
import { Toolbar } from '@base-ui/react/toolbar';
import type { MouseEvent, ReactNode } from 'react';
import { Icon, type IconName } from '../ui/icon.tsx';
import './toolbar.css';

export const EditorToolbar = ({
  label,
  controls,
  children,
}: {
  readonly label: string;
  /** The id of the editor. */
  readonly controls: string;
  readonly children: ReactNode;
}): ReactNode => (
  <Toolbar.Root className="editor-toolbar" aria-label={label} aria-controls={controls}>
    {children}
  </Toolbar.Root>
);

export const ToolbarSeparator = (): ReactNode => <Toolbar.Separator className="editor-separator" />;

interface ToolbarButtonProps {
  readonly label: string;
  /** Keys that do the same. */
  readonly keys?: string;
  readonly icon?: IconName;
  /** What is shown instead of a picture. */
  readonly sign?: ReactNode;
  /** Whether it is on; undefined for one that does something. */
  readonly isOn?: boolean;
  readonly disabled?: boolean;
  readonly onClick?: () => void;
}

/** The text keeps its selection and the focus when a button is clicked. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();

export const ToolbarButton = ({ label, keys, icon, sign, isOn, disabled, onClick }: ToolbarButtonProps): ReactNode => (
  <Toolbar.Button
    className="button button-plain button-small editor-button"
    aria-label={label}
    aria-pressed={isOn}
    aria-keyshortcuts={keys?.replace('Ctrl', 'Control')}
    title={keys ? `${label} (${keys})` : label}
    disabled={disabled}
    onMouseDown={keepFocus}
    onClick={onClick}
  >
    {icon ? <Icon name={icon} /> : <span aria-hidden="true">{sign}</span>}
  </Toolbar.Button>
);

/** A button that opens a menu, for ui/menu.tsx. */
export const ToolbarMenuButton = (props: { readonly label: string; readonly children: ReactNode }): ReactNode => {
  const { label, children, ...rest } = props;
  return (
    <Toolbar.Button className="button button-plain button-small editor-menu" aria-label={label} {...rest}>
      {children}
      <Icon name="chevronDown" />
    </Toolbar.Button>
  );
};

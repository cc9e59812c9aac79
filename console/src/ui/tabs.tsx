import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface Tab {
  readonly value: string;
  readonly label: ReactNode;
  readonly content: () => ReactNode;
}

/** Several views of one thing, one at a time. */
export const Tabs = ({
  label,
  tabs,
  value,
  onChange,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode => (
  <Base.Root className="stack" value={value} onValueChange={onChange}>
    <Base.List className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Base.Tab key={tab.value} className="tab" value={tab.value}>
          {tab.label}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map((tab) => (
      <Base.Panel key={tab.value} value={tab.value}>
        {tab.content()}
      </Base.Panel>
    ))}
  </Base.Root>
);

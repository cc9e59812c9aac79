// All types and components: as a list, and as a drawing that is loaded when it is first shown.
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { ConsoleCounts, ConsoleModel } from '../../../../src/console/contract.ts';
import { modelPath } from '../../shell/paths.ts';
import { useLoaded } from '../../shell/ready.ts';
import { Checkbox, TextInput } from '../../ui/field.tsx';
import { EmptyState, Spinner } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { ScrollBox } from '../../ui/scroll.tsx';
import { type Box, graphOf, lineInWords, type ModelGraph, matches, type Shown } from './graph.ts';

const loadDrawing = () => import('./drawing.tsx');

interface View extends Shown {
  readonly search: string;
}

interface OverviewProps {
  readonly model: ConsoleModel;
  readonly counts: ConsoleCounts;
}

export function Overview({ model, counts }: OverviewProps): ReactNode {
  const [view, setView] = useView();
  const Drawing = useLoaded(loadDrawing);
  const graph = graphOf(model, view);
  const found =
    view.search === '' ? null : new Set(graph.boxes.filter((box) => matches(box, view.search)).map(({ uid }) => uid));
  return (
    <>
      <PageHeader title="Model" />
      <div className="stack">
        <div className="row">
          <search className="model-search">
            <TextInput
              type="search"
              aria-label="Search types"
              placeholder="Name of a type"
              value={view.search}
              onChange={(event) => setView({ ...view, search: event.target.value })}
            />
          </search>
          <Checkbox
            label="Components"
            checked={view.components}
            onChange={(event) => setView({ ...view, components: event.target.checked })}
          />
          <Checkbox
            label="Built in"
            checked={view.builtIn}
            onChange={(event) => setView({ ...view, builtIn: event.target.checked })}
          />
        </div>
        {graph.boxes.length === 0 ? (
          <EmptyState title="There are no types that your account may see" />
        ) : (
          <div className="model-overview">
            <TypeList boxes={graph.boxes.filter(({ uid }) => found?.has(uid) ?? true)} counts={counts} />
            {Drawing ? <Drawing graph={graph} counts={counts} found={found} /> : <Spinner label="Drawing…" />}
          </div>
        )}
        <Lines model={model} graph={graph} />
      </div>
    </>
  );
}

/** What is shown, in the URL. */
function useView(): readonly [View, (view: View) => void] {
  const parameters = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  return [
    {
      search: parameters.get('q') ?? '',
      components: parameters.get('components') !== 'hidden',
      builtIn: parameters.get('built-in') === 'shown',
    },
    ({ search, components, builtIn }) => {
      const next = new URLSearchParams();
      if (search) next.set('q', search);
      if (!components) next.set('components', 'hidden');
      if (builtIn) next.set('built-in', 'shown');
      navigate(`${modelPath()}${next.size > 0 ? `?${next}` : ''}`, { replace: true });
    },
  ];
}

const TypeList = ({ boxes, counts }: { readonly boxes: readonly Box[]; readonly counts: ConsoleCounts }): ReactNode => (
  <nav className="model-list" aria-label="Types and components">
    {boxes.length === 0 && <p className="soft">No type has such a name.</p>}
    <ul>
      {boxes.map(({ uid, title, kind }) => (
        <li key={uid}>
          <Link className="place" href={modelPath(uid)}>
            <span className={`model-dot model-${kind.replace(' ', '-')}`} aria-hidden="true" />
            <span className="grow">{title}</span>
            <span className="soft model-small">{counts[uid] === undefined ? kind : counts[uid].toLocaleString()}</span>
          </Link>
        </li>
      ))}
    </ul>
  </nav>
);

/** The lines of the drawing in words. */
const Lines = ({ model, graph }: { readonly model: ConsoleModel; readonly graph: ModelGraph }): ReactNode => (
  <details>
    <summary>What leads where, in words</summary>
    <ScrollBox label="What leads where">
      <ul className="card-body">
        {graph.lines.map((line) => (
          <li key={line.id}>{lineInWords(model, line)}</li>
        ))}
      </ul>
    </ScrollBox>
  </details>
);

// The drawing. Its boxes are links: a click or Enter leads to the page of the type.
import {
  Background,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { type FocusEvent, type ReactNode, useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import type { ConsoleCounts } from '../../../../src/console/contract.ts';
import { modelPath } from '../../shell/paths.ts';
import { CrowFeet, markerOf } from './crow-feet.tsx';
import type { Box, ModelGraph } from './graph.ts';
import { BOX, type PlacedLine, pathOf, place } from './layout.ts';

interface DrawingProps {
  readonly graph: ModelGraph;
  readonly counts: ConsoleCounts;
  /** The boxes that are looked for; null where nothing is. */
  readonly found: ReadonlySet<string> | null;
}

type BoxNode = Node<{ readonly box: Box; readonly count: number | undefined; readonly isDim: boolean }, 'box'>;
type LineEdge = Edge<{ readonly line: PlacedLine; readonly isDim: boolean }, 'line'>;

const NODE_TYPES = { box: BoxView };
const EDGE_TYPES = { line: LineView };
/** Room around what is shown, as a part of it: lines go around boxes. */
const PADDING = 0.15;
/** What is looked for is not shown larger than this. */
const FOUND_ZOOM = 1.1;

export default function Drawing(props: DrawingProps): ReactNode {
  return (
    <section className="model-drawing card" aria-label="Drawing of the model">
      <ReactFlowProvider>
        <Flow {...props} />
      </ReactFlowProvider>
      <CrowFeet />
    </section>
  );
}

function Flow({ graph, counts, found }: DrawingProps): ReactNode {
  const key = [...graph.boxes.map(({ uid }) => uid), ...graph.lines.map(({ id }) => id)].join(' ');
  const placed = useMemo(() => place(graph), [key]);
  const { fitView } = useReactFlow();
  const foundKey = found && [...found].join(' ');
  useEffect(() => {
    const nodes = found && found.size > 0 ? [...found].map((id) => ({ id })) : undefined;
    fitView({ ...(nodes && { nodes, maxZoom: FOUND_ZOOM }), padding: PADDING });
  }, [key, foundKey, fitView]);
  const isDim = (uid: string): boolean => found !== null && !found.has(uid);
  const nodes = graph.boxes.map(
    (box): BoxNode => ({
      id: box.uid,
      type: 'box',
      position: placed.boxes.get(box.uid)!,
      data: { box, count: counts[box.uid], isDim: isDim(box.uid) },
      ...BOX,
    }),
  );
  const edges = placed.lines.map(
    (line): LineEdge => ({
      id: line.id,
      type: 'line',
      source: line.from,
      target: line.to,
      data: { line, isDim: isDim(line.from) && isDim(line.to) },
    }),
  );
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      minZoom={0.1}
      maxZoom={2}
      fitView
      fitViewOptions={{ padding: PADDING }}
      preventScrolling={false}
      zoomOnScroll={false}
      zoomActivationKeyCode={['Meta', 'Control']}
    >
      <Background />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

function BoxView({ data: { box, count, isDim } }: NodeProps<BoxNode>): ReactNode {
  const { uid, title, kind } = box;
  const { setCenter, getNode, getZoom } = useReactFlow();
  const show = (event: FocusEvent): void => {
    if (!event.target.matches(':focus-visible')) return;
    const node = getNode(uid);
    if (node)
      setCenter(node.position.x + BOX.width / 2, node.position.y + BOX.height / 2, { zoom: Math.max(getZoom(), 0.7) });
  };
  return (
    <>
      <Handle type="target" position={Position.Left} />
      <Link
        className={`model-box model-${kind.replace(' ', '-')}${isDim ? ' model-dim' : ''}`}
        href={modelPath(uid)}
        onFocus={show}
      >
        <strong>{title}</strong>
        <span className="model-small">
          {kind === 'collection type' ? 'collection' : kind}
          {count !== undefined && kind !== 'single type' && `, ${count.toLocaleString()}`}
        </span>
      </Link>
      <Handle type="source" position={Position.Right} />
    </>
  );
}

function LineView({ data }: EdgeProps<LineEdge>): ReactNode {
  const { line, isDim } = data!;
  const { kind, fromMany, toMany, points, label, labelAt } = line;
  return (
    <>
      <path
        className={`model-line model-line-${kind}${isDim ? ' model-dim' : ''}`}
        d={pathOf(points)}
        markerStart={markerOf(kind === 'relation' || kind === 'media' ? fromMany : null)}
        markerEnd={markerOf(toMany)}
      />
      <EdgeLabelRenderer>
        <span
          className={isDim ? 'model-label model-dim' : 'model-label'}
          style={{ transform: `translate(-50%, -50%) translate(${labelAt.x}px, ${labelAt.y}px)` }}
        >
          {label}
        </span>
      </EdgeLabelRenderer>
    </>
  );
}

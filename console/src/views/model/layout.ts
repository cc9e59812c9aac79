// Where boxes and lines go on the drawing.
import { type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from '@dagrejs/dagre';
import type { Line, ModelGraph } from './graph.ts';

export const BOX = { width: 170, height: 54 };
/** The room below a box for each line that leads from it to itself. */
const LOOP = 30;

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedLine extends Line {
  readonly points: readonly Point[];
  /** The middle of its label. */
  readonly labelAt: Point;
}

export interface Placed {
  /** The upper left corner of every box, by uid. */
  readonly boxes: ReadonlyMap<string, Point>;
  readonly lines: readonly PlacedLine[];
}

/** Roughly the width of a letter, at the size that labels have. */
const LETTER = 6.4;

const isLoop = ({ from, to }: Line): boolean => from === to;

export function place({ boxes, lines }: ModelGraph): Placed {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 22, ranksep: 34, edgesep: 14 });
  const loops = (uid: string): Line[] => lines.filter((line) => isLoop(line) && line.from === uid);
  for (const { uid } of boxes) graph.setNode(uid, { width: BOX.width, height: BOX.height + loops(uid).length * LOOP });
  for (const { id, from, to, label } of lines.filter((line) => !isLoop(line)))
    graph.setEdge(from, to, { width: label.length * LETTER + 10, height: 18, labelpos: 'c' }, id);
  layout(graph);
  const corners = new Map(
    boxes.map(({ uid }): [string, Point] => {
      const { x = 0, y = 0, height } = graph.node(uid);
      return [uid, { x: x - BOX.width / 2, y: y - height / 2 }];
    }),
  );
  const ways = lines
    .filter((line) => !isLoop(line))
    .map((line): PlacedLine => {
      const { points = [], x = 0, y = 0 } = graph.edge(line.from, line.to, line.id);
      return { ...line, points, labelAt: { x, y } };
    });
  return {
    boxes: corners,
    lines: [...atSides(ways, corners), ...boxes.flatMap(({ uid }) => loopsAt(corners.get(uid)!, loops(uid)))],
  };
}

/** A line that leads back goes around below its box. */
const loopsAt = ({ x, y }: Point, loops: readonly Line[]): PlacedLine[] =>
  loops.map((line, index) => {
    const [left, right] = [x - 12 - index * 6, x + BOX.width + 12 + index * 6];
    const [begin, bottom] = [y + BOX.height - 10 - index * 8, y + BOX.height + (index + 0.5) * LOOP];
    const points = [
      { x: x + BOX.width, y: begin },
      { x: right, y: begin },
      { x: right, y: bottom },
      { x: left, y: bottom },
      { x: left, y: begin },
      { x, y: begin },
    ];
    return { ...line, points, labelAt: { x: x + BOX.width / 2, y: bottom } };
  });

/** Lets lines begin and end at the left and right sides of boxes, one beside the other. */
function atSides(lines: readonly PlacedLine[], corners: Placed['boxes']): PlacedLine[] {
  const ends = lines.flatMap((line) => [endOf(line, 'from', corners), endOf(line, 'to', corners)]);
  const places = new Map<string, Point>();
  for (const side of Map.groupBy(ends, ({ key }) => key).values()) {
    side.sort((one, other) => one.towards.y - other.towards.y);
    for (const [index, { id, end, x, top }] of side.entries())
      places.set(`${end} ${id}`, { x, y: top + (BOX.height * (index + 1)) / (side.length + 1) });
  }
  return lines.map((line) => ({
    ...line,
    points: [places.get(`from ${line.id}`)!, ...line.points.slice(1, -1), places.get(`to ${line.id}`)!],
  }));
}

function endOf({ id, from, to, points }: PlacedLine, end: 'from' | 'to', corners: Placed['boxes']) {
  const uid = end === 'from' ? from : to;
  const { x, y } = corners.get(uid)!;
  // The point beside the end, which dagre has put between the ranks.
  const towards = points.at(end === 'from' ? 1 : -2)!;
  const isRight = towards.x > x + BOX.width / 2;
  return { id, end, towards, x: isRight ? x + BOX.width : x, top: y, key: `${uid} ${isRight}` };
}

/** A line that leaves every point level. */
export function pathOf([first, ...rest]: readonly Point[]): string {
  if (!first) return '';
  const at = (x: number, y: number): string => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  let last = first;
  const steps = rest.map((point) => {
    const middle = (last.x + point.x) / 2;
    const step = `C${at(middle, last.y)} ${at(middle, point.y)} ${at(point.x, point.y)}`;
    last = point;
    return step;
  });
  return `M${at(first.x, first.y)}${steps.join('')}`;
}

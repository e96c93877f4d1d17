import type { VNode } from "preact";

type IntervalProps = {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The ends of the axis, the same for all rows of a table. */
  readonly from: number;
  readonly to: number;
  /** Where a line is drawn, as at equal strength. */
  readonly middle?: number;
};

const WIDTH = 160;

/** A value with its interval on a line: the figures stand beside it. */
export function Interval({ value, low, high, from, to, middle }: IntervalProps): VNode | null {
  if (value === null) return null;
  const at = (given: number) => 6 + ((given - from) / (to - from || 1)) * (WIDTH - 12);
  return (
    <svg class="interval" viewBox={`0 0 ${WIDTH} 16`} width={WIDTH} height="16" aria-hidden="true">
      {middle !== undefined && middle >= from && middle <= to && (
        <line class="grid" x1={at(middle)} x2={at(middle)} y1="0" y2="16" />
      )}
      {low !== null && high !== null && <line class="bar" x1={at(low)} x2={at(high)} y1="8" y2="8" />}
      <circle class="dot" cx={at(value)} cy="8" r="4" />
    </svg>
  );
}

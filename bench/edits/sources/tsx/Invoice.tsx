import React, { useMemo, useState } from "react";
import { formatMoney } from "./money";

export interface Position {
  label: string;
  amount: number;
}

interface Props {
  positions: Position[];
  currency?: string;
  onPaid: (total: number) => void;
}

export const MAX_POSITIONS = 200;

export function useTotal(positions: Position[], discount = 0): number {
  return useMemo(() => {
    const sum = positions.slice(0, MAX_POSITIONS).reduce((all, one) => all + one.amount, 0);
    return Math.max(sum - discount, 0);
  }, [positions, discount]);
}

export function Row({ label, amount }: Position) {
  return (
    <tr className="invoice-row">
      <td>{label}</td>
      <td align="right">{formatMoney(amount)}</td>
    </tr>
  );
}

export const Invoice = ({ positions, currency = "EUR", onPaid }: Props) => {
  const [open, setOpen] = useState(true);
  const total = useTotal(positions);

  function pay() {
    setOpen(false);
    onPaid(total);
  }

  return (
    <section data-open={open}>
      <table>{positions.map((one) => <Row key={one.label} {...one} />)}</table>
      <p>
        Total: {total} {currency}
      </p>
      <button type="button" disabled={!open} onClick={pay}>
        Pay now
      </button>
    </section>
  );
};

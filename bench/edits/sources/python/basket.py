"""A basket of goods and what it costs."""

from dataclasses import dataclass, field
from decimal import Decimal

FREE_SHIPPING_FROM = Decimal("49.90")
VAT_RATES = {"DE": Decimal("0.19"), "FR": Decimal("0.20"), "LU": Decimal("0.17")}


@dataclass
class Line:
    """One article and how often it is bought."""

    article: str
    price: Decimal
    quantity: int = 1

    def total(self) -> Decimal:
        return self.price * self.quantity


@dataclass
class Basket:
    country: str
    lines: list[Line] = field(default_factory=list)

    def add(self, article: str, price: Decimal, quantity: int = 1) -> Line:
        for line in self.lines:
            if line.article == article and line.price == price:
                line.quantity += quantity
                return line
        line = Line(article, price, quantity)
        self.lines.append(line)
        return line

    def net(self) -> Decimal:
        return sum((line.total() for line in self.lines), Decimal(0))


def shipping(basket: Basket, express: bool = False) -> Decimal:
    """What sending a basket costs."""
    if basket.net() >= FREE_SHIPPING_FROM:
        return Decimal(0)
    weight = sum(line.quantity for line in basket.lines)
    fee = Decimal("4.90") + Decimal("0.50") * max(weight - 5, 0)
    return fee * 2 if express else fee


def gross(basket: Basket) -> Decimal:
    rate = VAT_RATES.get(basket.country, Decimal("0.21"))
    amount = (basket.net() + shipping(basket)) * (1 + rate)
    return amount.quantize(Decimal("0.01"))

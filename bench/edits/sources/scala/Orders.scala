package shop.orders

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

sealed trait Status
case object Open extends Status
case class Sent(carrier: String) extends Status

case class Order(id: Long, items: List[String], status: Status = Open)

object Limits {
  val MaxItems = 25
  val Carriers = Set("north", "south")
}

class OrderBook(warehouse: String) {
  private val orders = mutable.Map.empty[Long, Order]

  def place(id: Long, items: List[String]): Try[Order] = {
    if (items.isEmpty || items.size > Limits.MaxItems) {
      Failure(new IllegalArgumentException(s"order $id has ${items.size} items"))
    } else {
      val order = Order(id, items.sorted)
      orders(id) = order
      Success(order)
    }
  }

  def send(id: Long, carrier: String): Option[Order] = {
    orders.get(id).filter(_ => Limits.Carriers.contains(carrier)).map { order =>
      val sent = order.copy(status = Sent(carrier))
      orders.update(id, sent)
      sent
    }
  }

  def openCount: Int = orders.values.count(_.status == Open)
}

object OrderBook {
  def label(order: Order, width: Int = 20): String = order.status match {
    case Open if order.items.size > 3 => s"${order.id} (large)".padTo(width, ' ')
    case Open => order.id.toString.padTo(width, ' ')
    case Sent(carrier) => s"${order.id} with $carrier"
  }
}

package com.example.bank;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

public class Ledger {
    public static final int MAX_BOOKINGS = 10_000;

    private final List<Booking> bookings = new ArrayList<>();
    private BigDecimal balance = BigDecimal.ZERO;

    public Booking book(String purpose, BigDecimal amount) {
        Objects.requireNonNull(purpose, "purpose");
        if (bookings.size() >= MAX_BOOKINGS) {
            throw new IllegalStateException("The ledger is full");
        }
        Booking booking = new Booking(purpose, amount);
        bookings.add(booking);
        balance = balance.add(amount);
        return booking;
    }

    public BigDecimal balanceOf(String purpose) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Booking booking : bookings) {
            if (booking.purpose().equals(purpose)) {
                sum = sum.add(booking.amount());
            }
        }
        return sum;
    }

    @Override
    public String toString() {
        return String.format("%d bookings, balance %s", bookings.size(), balance.toPlainString());
    }

    public record Booking(String purpose, BigDecimal amount) {}

    public enum Direction {
        IN,
        OUT
    }

    interface Listener {
        void booked(Booking booking, Direction direction);
    }
}

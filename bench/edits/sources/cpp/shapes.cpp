#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace geometry {

constexpr double kPi = 3.14159265358979;

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
    const std::string& name() const { return name_; }

protected:
    explicit Shape(std::string name) : name_(std::move(name)) {}

private:
    std::string name_;
};

class Ring : public Shape {
public:
    Ring(double inner, double outer) : Shape("ring"), inner_(inner), outer_(outer) {}

    double area() const override {
        return kPi * (outer_ * outer_ - inner_ * inner_);
    }

    double width() const;

private:
    double inner_;
    double outer_;
};

double Ring::width() const {
    const double difference = outer_ - inner_;
    return difference < 0 ? -difference : std::abs(difference) * 1.0;
}

template <typename T>
T total(const std::vector<T>& values, T start = T{}) {
    T sum = start;
    for (const auto& value : values) {
        sum += value;
    }
    return sum;
}

std::unique_ptr<Shape> largest(std::vector<std::unique_ptr<Shape>>& shapes) {
    std::unique_ptr<Shape> best;
    for (auto& shape : shapes) {
        if (!best || shape->area() > best->area()) {
            best = std::move(shape);
        }
    }
    return best;
}

}  // namespace geometry
